/** The words for the rows of a collection: one, and several. */
const labels: Record<string, [one: string, several: string]> = {
  users: ['User', 'Users'],
  personas: ['Agent', 'Agents'],
  tools: ['Tool', 'Tools'],
  documentSets: ['Document set', 'Document sets'],
  labels: ['Label', 'Labels'],
  chatSessions: ['Chat session', 'Chat sessions'],
  credentials: ['Credential', 'Credentials'],
  connectors: ['Connector', 'Connectors'],
  connectorCredentials: ['Association', 'Associations'],
  indexAttempts: ['Index attempt', 'Index attempts'],
  projects: ['Project', 'Projects'],
  projectFiles: ['File of a project', 'Files of projects'],
  userFiles: ['File', 'Files'],
  invites: ['Invite', 'Invites'],
  tokenRateLimits: ['Token rate limit', 'Token rate limits']
}

/** "Chat sessions" for chatSessions. For an unknown name, its words. */
export function several(collection: string): string {
  return labels[collection]?.[1] ?? worded(collection)
}

/** "Chat session" for chatSessions. */
export function one(collection: string): string {
  return labels[collection]?.[0] ?? worded(collection).replace(/s$/, '')
}

/** The words of a field's name: "Number of chunks" for num_chunks. */
export function worded(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').replace(/([a-z0-9])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`)
  const plain = words
    .replace(/^num /, 'number of ')
    .replace(/\b(id|url|llm|api|json)(s?)\b/g, (_, a, s) => a.toUpperCase() + s)
  return (plain[0] ?? '').toUpperCase() + plain.slice(1)
}

/** A row by the words for its collection and a short id. */
export function rowLabel(collection: string, id: string | number): string {
  return `${one(collection)} ${shortId(id)}`
}

export type RowNames = Record<string, Record<string, string>> | undefined

/** The name of a row, or a short form of its id. */
export function titleOf(names: RowNames, collection: string, id: string | number): string {
  return names?.[collection]?.[String(id)] ?? shortId(id)
}

/** The first eight characters of a UUID; other ids in full. */
export function shortId(id: string | number): string {
  return /^[0-9a-f]{8}-/.test(String(id)) ? String(id).slice(0, 8) : String(id)
}
