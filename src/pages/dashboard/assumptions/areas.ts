import { worded } from '../state/labels.js'

/** What assumptions are about, in the order of the page, each with the first words of their ids. */
const areas: Record<string, readonly string[]> = {
  'Sign-in and roles': ['auth', 'roles'],
  'Requests and answers': ['requests', 'errors', 'responses', 'status-response', 'lists', 'ids', 'delete', 'limits'],
  Chats: ['chat', 'shared-status'],
  Agents: ['persona', 'document-set'],
  'Connectors and credentials': ['credential', 'connector', 'sources', 'upload'],
  'Associations and indexing': ['pairing', 'cc-pair-status', 'indexing'],
  'Tools and web content': ['tool', 'web'],
  'Projects and files': ['projects', 'files'],
  'Users and invites': ['users', 'invites'],
  'The interface as a whole': ['events', 'versioning']
}

/** The area of an assumption. One of another kind is an area of its own. */
function areaOf(id: string): string {
  const [first = id] = id.split('.')
  return Object.keys(areas).find((area) => areas[area]?.includes(first)) ?? worded(first)
}

/** The entries of each area that has some. */
export function byArea<Entry extends { id: string }>(entries: readonly Entry[]): [area: string, Entry[]][] {
  const groups = new Map<string, Entry[]>(Object.keys(areas).map((area) => [area, []]))
  for (const entry of entries) groups.set(areaOf(entry.id), [...(groups.get(areaOf(entry.id)) ?? []), entry])
  return [...groups].filter(([, list]) => list.length > 0)
}
