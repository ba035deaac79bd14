import { existsSync } from 'node:fs'
import { type FixtureSet, fixtureSets } from '../../../fixtures/index.js'
import { profiles } from '../../engine/contract/ledger.js'
import { readJson } from '../../engine/contract/load.js'
import { readMoment } from '../../engine/contract/pydantic/datetime.js'
import type { JournalEntry } from '../../engine/contract/types.gen.js'
import { isVisitorCookie } from '../../engine/serve/message/visitor-cookie.js'
import {
  bytes,
  choice,
  duration,
  flag,
  isTexts,
  type Kind,
  number,
  program,
  text,
  texts,
  wholeNumber
} from './kinds.js'
import type { Options, Settled, Table } from './option.js'

/** Choices by ledger id, or as `id=choice`. The ledger checks whether they exist. */
const choices: Kind<Record<string, string> | readonly string[]> = {
  type: 'Record<string, string> | readonly string[]',
  wanted: '{ id: choice }, or a list of <id>=<choice>',
  placeholder: 'id=choice',
  isList: true,
  parse(text) {
    // A choice may contain commas, so a comma separates only if an `id=` follows.
    if (!text.startsWith('@')) return text.split(/,(?=[a-z-]+(?:\.[a-z_-]+)?=)/)
    // A file that `verify --write-assumptions` wrote.
    return Object.entries(readJson(text.slice(1))).map(([id, choice]) => `${id}=${choice}`)
  },
  read(value) {
    const isGood = Array.isArray(value) ? isTexts(value) : typeof value === 'object' && value !== null
    return isGood ? (value as Record<string, string> | string[]) : undefined
  }
}

const time = text('time', {
  wanted: 'an ISO 8601 time, such as 2026-03-02T10:00:00Z',
  read: (value) => (typeof value === 'string' ? readMoment(value) : undefined)
})

const origins = texts('origins', {
  each: isOrigin,
  wanted: '*, or origins as browsers send them, such as http://localhost:5173: scheme, host and port, without a path'
})

const hostNames = texts('names', {
  each: (name) => /^(\*|[a-z0-9_]([a-z0-9._-]*[a-z0-9])?)$/i.test(name),
  wanted: '*, or names of hosts, such as mock.example: without scheme, port and path'
})

/** Origins are compared as texts, so one that no browser sends would never match. */
function isOrigin(text: string): boolean {
  if (text === '*' || text === 'null') return true
  if (/^https?:/i.test(text)) return URL.canParse(text) && new URL(text).origin === text
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/.test(text)
}

const serviceUrl = text('url', {
  // It may contain a password, which no message may show.
  wrong: 'cannot be used',
  wanted: 'the address of a service, without a query and without a user or password, such as http://127.0.0.1:8080',
  read: (value) => (typeof value === 'string' && isServiceUrl(value) ? value : undefined)
})

function isServiceUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    [url.search, url.hash, url.username, url.password].every((it) => it === '')
  )
}

const cookieName = text('name', {
  wanted: "a cookie's name, other than that of the visitors' cookies",
  read: (value) =>
    typeof value === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(value) && !isVisitorCookie(value) ? value : undefined
})

const fixtures: Kind<FixtureSet | `${string}.${'json' | 'js' | 'mjs' | 'cjs' | 'ts'}`, string> = {
  type: `${fixtureSets.map((it) => `'${it}'`).join(' | ')} | \`\${string}.\${'json' | 'js' | 'mjs' | 'cjs' | 'ts'}\``,
  wanted: `one of ${fixtureSets.join(', ')}, or a file that ends with .json, .js, .mjs, .cjs or .ts`,
  placeholder: 'name or file',
  read: (value) =>
    fixtureSets.find((it) => it === value) ??
    (typeof value === 'string' && /\.(json|[cm]?js|ts)$/.test(value) ? value : undefined)
}

const bearerToken = text('token', {
  wanted: 'letters, digits and any of - . _ + /',
  wrong: 'is not a bearer token',
  read: (value) => (typeof value === 'string' && /^[A-Za-z0-9\-._+/]+=*$/.test(value) ? value : undefined)
})

const sources: Kind<readonly (string | object)[]> = {
  type: 'readonly (string | object)[]',
  wanted: 'a list of paths and OpenAPI documents',
  placeholder: 'path',
  isList: true,
  // A path may contain commas.
  parse: (text) => (existsSync(text) ? [text] : text.split(',')),
  read: (value) =>
    Array.isArray(value) &&
    value.every((it) => (typeof it === 'object' && it !== null) || (typeof it === 'string' && it !== ''))
      ? value
      : undefined
}

const apiSource: Kind<string | object> = {
  type: 'string | object',
  wanted: 'a path or an OpenAPI document',
  placeholder: 'path',
  read: (value) => (isDocument(value) || (typeof value === 'string' && value !== '') ? value : undefined)
}

function isDocument(value: unknown): value is object {
  return typeof value === 'object' && value !== null && ('openapi' in value || 'swagger' in value)
}

export const apiOption = {
  is: apiSource,
  otherwise: 'that of this package',
  help: 'the API to mock: an OpenAPI document, or a folder with one: [Any API](/src/apis/document/README.md)'
}

export const startTable = {
  fixtures: {
    is: fixtures,
    default: 'demo',
    help: 'the first rows. `empty`: three users and the built-in agent; `demo`: a company; `large`: many rows; `awkward`: unusual texts and numbers; or your own file: [Fixtures](/fixtures/README.md#a-set-of-your-own)'
  },
  seed: { is: wholeNumber(), default: 1, help: 'the same seed and calls give the same bytes' },
  now: {
    is: time,
    otherwise: 'the real time',
    help: 'stops the clock of each sandbox at this ISO 8601 time'
  },
  scenario: {
    is: text('name or file'),
    help: 'a scenario that each sandbox starts with: its name, or a JSON or YAML file: [Scenarios](/src/engine/control/scenarios/README.md)',
    only: 'serve'
  },
  with: {
    is: sources,
    default: [],
    help: 'your own endpoints: an OpenAPI document, or a folder with one; repeatable: [Your own endpoints](/src/doors/with/README.md)'
  }
} as const satisfies Table

/** The ledger's choices, which all commands have. */
export const choiceTable = {
  profile: {
    is: choice('name', profiles),
    default: 'documented',
    help: 'the choices of all assumptions: those of the description, or those of a service that was observed'
  },
  assume: {
    is: choices,
    help: 'changes an assumption; repeatable. `@<file>`: the choices in a JSON file'
  }
} as const satisfies Table

export const definitionsTable = {
  ...choiceTable,
  contracts: {
    is: text('folder'),
    otherwise: 'those of the package',
    help: 'a folder with your own contracts and ledger; start with a copy'
  },
  api: apiOption,
  with: startTable.with
} as const satisfies Table

export const stateTable = {
  scale: { is: number({ above: 0, to: 10_000 }), default: 1, help: 'size of the set `large`; 1 is about 10,000 rows' },
  overrides: {
    is: text('file'),
    help: 'a JSON list of overrides that each sandbox starts with; the first that matches a request answers it'
  },
  ...choiceTable,
  contracts: definitionsTable.contracts,
  strict: {
    is: flag,
    default: false,
    help: 'answers 500 if a reply of the mock breaks its own contract',
    only: 'serve'
  }
} as const satisfies Table

export const accessTable = {
  auth: {
    is: choice('mode', ['strict', 'any']),
    default: 'strict',
    help: '`any`: an unknown token acts as `admin`',
    only: 'serve'
  },
  tokenCookie: {
    is: cookieName,
    otherwise: '`kcm-token`, which counts only if `/__mock/enter` has set it',
    help: 'the cookie that counts as the token if a request has no `Authorization` header: [Sign-in](/src/doors/README.md#sign-in)'
  },
  anonymous: {
    is: text('user'),
    otherwise: 'a 401',
    help: 'the user of requests without a token, such as `basic`'
  },
  fallback: {
    is: serviceUrl,
    otherwise: 'a 404',
    help: 'a service that answers the paths that the mock does not have: [What is not there](/src/doors/README.md#what-is-not-there)',
    only: 'serve'
  },
  corsOrigin: { is: origins, default: '*', help: 'origins whose pages may call the mock, separated by commas' },
  allowHost: {
    is: hostNames,
    default: [],
    help: 'names for the `Host` header besides `localhost` and IP addresses, separated by commas'
  },
  control: { is: choice('state', ['on', 'off']), default: 'on', help: '`off`: no control API, no dashboard' },
  controlToken: {
    is: bearerToken,
    help: 'the token of the control API, sent as `X-Mock-Control-Token` or as the bearer token; needed if other machines can reach the mock'
  }
} as const satisfies Table

export const publicTable = {
  public: {
    is: flag,
    default: false,
    help: 'opens the mock to anybody: a sandbox per visitor, limits, no secrets, the control API only with its token: [A public demo](/src/doors/README.md#a-public-demo)',
    only: 'serve'
  },
  cookieSecret: {
    is: text('text'),
    otherwise: 'a random one',
    help: 'the key that signs the cookies of visitors; if it stays the same, they survive a restart',
    only: 'serve'
  },
  rateLimit: {
    is: wholeNumber({ from: 0 }),
    default: 0,
    public: 300,
    help: 'requests a minute per visitor, or per address without a cookie; `0`: no limit',
    only: 'serve'
  },
  trustProxy: {
    is: wholeNumber({ from: 0 }),
    default: 0,
    help: 'number of proxies before the mock, which set `X-Forwarded-For` and `X-Forwarded-Proto`',
    only: 'serve'
  },
  resetEvery: {
    is: duration({ unit: 'milliseconds', least: Number.MIN_VALUE, most: 36_500 }),
    otherwise: 'never',
    help: 'resets everything after this time, such as `24h`; clocks then start at the real time',
    only: 'serve'
  }
} as const satisfies Table

const KiB = 1024
const MiB = 1024 * KiB

export const limitTable = {
  maxSandboxes: {
    is: number({ from: 1 }),
    default: 10_000,
    public: 1000,
    help: 'number of sandboxes; one more is rejected with 429. With `--data redis://` it is that of each process'
  },
  maxSandboxBytes: {
    is: bytes(),
    default: 256 * MiB,
    public: 128 * KiB,
    help: 'bytes of JSON that a sandbox may have in addition to its first rows; a write above it is rejected with 413'
  },
  sandboxIdle: {
    is: duration({ unit: 'seconds' }),
    default: 0,
    public: 3600,
    help: 'drops a sandbox that was not used for this time; it is then a 404 until it is created again. `0`: never'
  },
  journalEntries: {
    is: number({ from: 1 }),
    default: 1000,
    public: 100,
    help: 'number of exchanges in the journal of a sandbox'
  },
  maxUploadBytes: {
    is: bytes({ from: 1 }),
    default: 512 * MiB,
    public: 64 * MiB,
    help: 'bytes of the bodies of all requests in progress; a request above it is rejected with 503'
  }
} as const satisfies Table

/** The options of a mock without a listener. */
export const mockTable = {
  ...startTable,
  api: apiOption,
  ...stateTable,
  ...accessTable,
  ...publicTable,
  ...limitTable,
  onProblem: {
    is: program<(text: string) => void>('(text: string) => void'),
    otherwise: 'written to stderr',
    help: 'called with errors outside of an exchange, and with errors found in the data',
    only: 'program'
  },
  onExchange: {
    is: program<(exchange: JournalEntry) => void>('(exchange: JournalEntry) => void'),
    help: 'called after every answer',
    only: 'program'
  }
} as const satisfies Table

/** The options of a mock. Every field has a default. */
export type MockOptions = Options<typeof mockTable>
export type SettledMock = Settled<typeof mockTable>
