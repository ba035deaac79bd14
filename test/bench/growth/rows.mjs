/** How many rows every other collection gets for so many chat sessions of the administrator. */
export const others = (sessions) => Math.round(sessions / 10)

const minute = 60_000
const year = 365 * 24 * 60 * minute

/** Words of names; a session in five is about a release. */
export const words = { common: 'release', rare: 'zyzzyva', absent: 'quokka' }
const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'la', 'me', 'ni', 'po', 'ru']
const vocabulary = syllables.flatMap((a) => syllables.flatMap((b) => syllables.map((c) => `${a}${b}${c}n`)))

/** Adds rows to the demo state: chat sessions of the administrator, everything else for its own users. */
export function grow(rows, sessions, now) {
  addSessions(rows, sessions, now)
  const count = others(sessions)
  const owners = addUsers(rows, count)
  const owner = (i) => owners[i % owners.length]
  const template = (name, fits = () => true) => [...rows[name].all()].find(fits)
  const add = (name, row, change) => {
    const first = Number(rows[name].lastId()) + 1
    for (let i = 0; i < count; i++) rows[name].put({ ...row, id: first + i, ...change(i) })
    return first
  }

  const shared = { is_public: false, user_ids: [], document_set_ids: [], user_file_ids: [] }
  add(
    'personas',
    template('personas', ({ id }) => id === 1),
    (i) => ({ ...shared, owner_id: owner(i) })
  )
  add(
    'tools',
    template('tools', ({ user_id }) => user_id !== null),
    (i) => ({ user_id: owner(i) })
  )
  add('documentSets', template('documentSets'), () => ({
    cc_pair_ids: [],
    users: [],
    federated_connector_summaries: []
  }))
  add('invites', template('invites'), (i) => ({ email: `invited-${i}@example.com`, invited_by: owner(i) }))
  add('tokenRateLimits', template('tokenRateLimits'), () => ({}))

  // Not of the web: its credentials are those that E11 is asked for.
  const source = 'slack'
  const hidden = { source, admin_public: false, curator_public: false }
  const credential = add(
    'credentials',
    template('credentials', ({ id }) => id === 1),
    (i) => ({
      ...hidden,
      user_id: owner(i)
    })
  )
  const connector = add(
    'connectors',
    template('connectors', ({ id }) => id === 1),
    () => ({ source })
  )
  const pair = add('connectorCredentials', template('connectorCredentials'), (i) => ({
    connector_id: connector + i,
    credential_id: credential + i
  }))
  add('indexAttempts', template('indexAttempts'), (i) => ({ connector_credential_id: pair + i }))

  const project = add('projects', template('projects'), (i) => ({ user_id: owner(i) }))
  const file = template('userFiles')
  for (let i = 0; i < count; i++) rows.userFiles.put({ ...file, id: uuid(3, i), user_id: owner(i) })
  add('projectFiles', template('projectFiles'), (i) => ({ project_id: project + i, user_file_id: uuid(3, i) }))
}

function addSessions(rows, count, now) {
  const admin = rows.users.first('byKey', 'admin').id
  const template = [...rows.chatSessions.all()].find(({ user_id }) => user_id === admin)
  const personas = [...rows.personas.all()].filter(({ is_public }) => is_public).map(({ id }) => id)
  const random = generator(1)
  const rare = new Set([0.2, 0.5, 0.8].map((share) => Math.floor(count * share)))
  for (let i = 0; i < count; i++) {
    const created = now - minute - Math.floor(((count - i) * year) / count)
    const name = Array.from({ length: 4 }, () => vocabulary[random(vocabulary.length)])
    if (random(5) === 0) name.push(words.common)
    if (rare.has(i)) name.push(words.rare)
    rows.chatSessions.put({
      ...template,
      id: uuid(1, i),
      name: name.join(' '),
      time_created: new Date(created).toISOString(),
      time_updated: new Date(created + random(minute)).toISOString(),
      persona_id: personas[random(personas.length)],
      project_id: null
    })
  }
}

function addUsers(rows, count) {
  const template = rows.users.first('byKey', 'basic')
  const ids = Array.from({ length: count }, (_, i) => uuid(2, i))
  for (const [i, id] of ids.entries()) {
    rows.users.put({ ...template, id, key: `grown-${i}`, email: `grown-${i}@example.com` })
  }
  return ids
}

/** A uuid of a number, in its own space. */
export function uuid(space, number) {
  // Spread over the whole range, as real ones are.
  const spread = (Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')
  return `${spread}-0000-4000-8000-${String(space).padStart(4, '0')}${number.toString(16).padStart(8, '0')}`
}

/** The same numbers every time. */
function generator(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
