import { seedPairs } from './pairs.js'
import { seedPersonas } from './personas.js'
import type { Rows, Session, User, UserFile } from './rows.js'

const minute = 60_000

/** A uuid that tells what it is of. */
export const uuid = (kind: string, n: number) =>
  `${kind.padEnd(8, '0')}-7a1e-4c55-9b2d-${n.toString(16).padStart(12, '0')}`

const user = (n: number, name: string, role: User['role']): User => ({
  id: uuid('a5e0', n),
  email: `${name}@workshop.example`,
  role,
  token: `tok-${name}`
})

const people = [
  user(1, 'ada', 'admin'),
  user(2, 'bob', 'basic'),
  user(3, 'cyd', 'curator'),
  user(4, 'dee', 'basic'),
  user(5, 'eli', 'basic'),
  user(6, 'eli.two', 'basic'),
  user(7, 'fay', 'basic'),
  user(8, 'gil', 'basic')
]
const [ada, bob] = people.map(({ id }) => id) as [string, string]

const subjects = ['Boiler manual', 'Holiday plan', 'Invoice 2041', 'Garden wall', 'Train times', 'Recipe for rye bread']

function session(n: number, owner: string, now: number): Session {
  const created = now - (n * 97 + 11) * minute
  return {
    id: uuid(owner === ada ? 'c4a7' : 'c4a8', n),
    user: owner,
    name: `${subjects[n % subjects.length]} ${n}`,
    persona: 101 + (n % 3),
    project: n % 9 === 0 ? (owner === ada ? 601 : 604) : null,
    shared: n % 7 === 0 ? 'public' : 'private',
    model: n % 2 === 0 ? 'house-large' : null,
    temperature: n % 2 === 0 ? 0.4 : null,
    created,
    updated: created + 5 * minute
  }
}

const statuses = ['COMPLETED', 'PROCESSING', 'FAILED', 'CANCELED', 'DELETING'] as const
const forms = [
  ['application/pdf', 'document', 'pdf'],
  ['image/png', 'image', 'png'],
  ['text/plain', 'plain_text', 'txt'],
  ['text/csv', 'csv', 'csv']
] as const

function file(n: number, owner: string, now: number): UserFile {
  const [mime, kind, end] = forms[n % forms.length] as (typeof forms)[number]
  const status = statuses[n % statuses.length] as UserFile['status']
  const created = now - n * 1441 * minute
  return {
    id: uuid('f11e', n),
    user: owner,
    name: `sheet-${n}.${end}`,
    mime,
    kind,
    status,
    tokens: status === 'COMPLETED' ? 300 + n : null,
    created,
    accessed: created + minute
  }
}

/** A fresh state. */
export function seed(now: number): Rows {
  const project = (id: number, owner: string, name: string) => ({
    id,
    user: owner,
    name,
    description: `All about the ${name.toLowerCase()}`,
    instructions: `Answer in the words of the ${name.toLowerCase()}.`,
    created: now - id * minute
  })
  const link = (inProject: number, ...numbers: number[]) =>
    numbers.map((n) => ({ project: inProject, file: uuid('f11e', n) }))
  return {
    users: people.map((it) => ({ ...it })),
    sessions: [
      ...Array.from({ length: 43 }, (_, n) => session(n, ada, now)),
      ...Array.from({ length: 12 }, (_, n) => session(n, bob, now))
    ],
    buried: [],
    ...seedPersonas(now, { ada, bob, file: uuid('f11e', 0) }),
    ...seedPairs(now, ada, bob),
    limits: Array.from({ length: 8 }, (_, n) => ({ id: 501 + n, tokens: 1000 * (n + 1) })),
    projects: [
      project(601, ada, 'House'),
      project(602, ada, 'Garden'),
      project(603, ada, 'Attic'),
      project(604, bob, 'Boat')
    ],
    files: [
      ...Array.from({ length: 12 }, (_, n) => file(n, ada, now)),
      ...Array.from({ length: 5 }, (_, n) => file(20 + n, bob, now))
    ],
    links: [...link(601, 0, 1, 2, 3, 4), ...link(602, 0, 5, 6), ...link(604, 20, 21, 22)],
    removed: new Map(),
    invited: new Set(),
    nextId: 9000
  }
}
