import { type FixtureSet, fixtureSets } from '../../../fixtures/index.js'
import { profiles } from '../../engine/contract/ledger.js'
import { readJson } from '../../engine/contract/load.js'
import { readMoment } from '../../engine/contract/pydantic/datetime.js'
import { isVisitorCookie } from '../../engine/serve/message/visitor-cookie.js'
import { choice, duration, flag, isTexts, type Kind, number, text, texts, wholeNumber } from './kinds.js'
import type { Table } from './option.js'

/** Choices by ledger id, or as `id=choice`. The ledger checks whether they exist. */
const choices: Kind<Record<string, string> | readonly string[]> = {
  type: 'Record<string, string> | readonly string[]',
  wanted: '{ id: choice }, or a list of <id>=<choice>',
  placeholder: 'id=choice',
  isList: true,
  parse: (text) => (text.startsWith('@') ? pairsIn(text.slice(1)) : splitPairs(text)),
  read(given) {
    const isGood = Array.isArray(given) ? isTexts(given) : typeof given === 'object' && given !== null
    return isGood ? (given as Record<string, string> | string[]) : undefined
  }
}

/** The choices in a file that `verify --write-assumptions` wrote. */
function pairsIn(file: string): string[] {
  return Object.entries(readJson(file)).map(([id, choice]) => `${id}=${choice}`)
}

/** A choice may contain commas, so a comma separates only if an `id=` follows. */
function splitPairs(text: string): string[] {
  return text.split(/,(?=[a-z-]+(?:\.[a-z_-]+)?=)/)
}

const time = text('time', {
  wanted: 'an ISO 8601 time, such as 2026-03-02T10:00:00Z',
  read: (given) => (typeof given === 'string' ? readMoment(given) : undefined)
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
  read: (given) => (typeof given === 'string' && isServiceUrl(given) ? given : undefined)
})

function isServiceUrl(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : undefined
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    [url.search, url.hash, url.username, url.password].every((it) => it === '')
  )
}

const cookieName = text('name', {
  wanted: "a cookie's name, other than that of the visitors' cookies",
  read: (given) =>
    typeof given === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(given) && !isVisitorCookie(given) ? given : undefined
})

const fixtures: Kind<FixtureSet | `${string}.${'json' | 'js' | 'mjs' | 'cjs' | 'ts'}`, string> = {
  type: `${fixtureSets.map((it) => `'${it}'`).join(' | ')} | \`\${string}.\${'json' | 'js' | 'mjs' | 'cjs' | 'ts'}\``,
  wanted: `one of ${fixtureSets.join(', ')}, or a file that ends with .json, .js, .mjs, .cjs or .ts`,
  placeholder: 'name or file',
  read: (given) =>
    fixtureSets.find((it) => it === given) ??
    (typeof given === 'string' && /\.(json|[cm]?js|ts)$/.test(given) ? given : undefined)
}

const bearerToken = text('token', {
  wanted: 'letters, digits and any of - . _ + /',
  wrong: 'is not a bearer token',
  read: (given) => (typeof given === 'string' && /^[A-Za-z0-9\-._+/]+=*$/.test(given) ? given : undefined)
})

/** The options for the ledger's choices, which all commands have. */
export const choiceTable = {
  profile: {
    is: choice('name', profiles),
    default: 'documented',
    help: 'initial choices of the assumptions: those of the description, or what a running service was seen to do'
  },
  assume: {
    is: choices,
    help: 'sets the choice of an assumption; repeatable, and separated by commas in the environment. `@<file>`: the choices in a JSON file'
  }
} as const satisfies Table

export const contractsTable = {
  contracts: {
    is: text('folder'),
    otherwise: 'those of the package',
    help: 'a folder with your own contracts and ledger; start from a copy'
  }
} as const satisfies Table

const sources: Kind<readonly (string | object)[]> = {
  type: 'readonly (string | object)[]',
  wanted: 'a list of paths and OpenAPI documents',
  placeholder: 'path',
  isList: true,
  parse: (given) => [given],
  read: (given) =>
    Array.isArray(given) &&
    given.every((it) => (typeof it === 'object' && it !== null) || (typeof it === 'string' && it !== ''))
      ? given
      : undefined
}

/** What the mock serves in addition to the platform. */
export const withTable = {
  with: {
    is: sources,
    default: [],
    help: "your own endpoints, besides the platform's: an OpenAPI document, or a folder with one; repeatable: [Your own endpoints](/src/doors/with/README.md)"
  }
} as const satisfies Table

/** The start of sandboxes. */
export const startTable = {
  seed: {
    is: wholeNumber(),
    default: 1,
    help: 'seed of fixtures and ids: the same seed and calls give the same bytes'
  },
  fixtures: {
    is: fixtures,
    default: 'demo',
    help: '`empty`: three users and the built-in agent; `demo`: a company with every state and value; `large`: many rows; `awkward`: valid but unusual texts and numbers; or your own file: [Fixtures](/fixtures/README.md#a-set-of-your-own)'
  },
  scale: { is: number({ above: 0, to: 10_000 }), default: 1, help: 'size of the set `large`; 1 is about 10,000 rows' },
  now: {
    is: time,
    otherwise: 'the real time, running',
    help: 'an ISO 8601 time at which the clock of each sandbox stands still, also after a reset'
  },
  scenario: {
    is: text('name or file'),
    otherwise: 'none',
    help: 'a scenario that each sandbox starts with, also after a reset: its name, or a JSON or YAML file: [Scenarios](/src/engine/control/scenarios/README.md)',
    only: 'serve'
  },
  overrides: {
    is: text('file'),
    otherwise: 'none',
    help: 'a JSON file with overrides that each sandbox starts with; the first that matches a request answers it. Reloaded with `--watch`'
  },
  ...choiceTable,
  auth: {
    is: choice('mode', ['strict', 'any']),
    default: 'strict',
    help: '`any`: an unknown token acts as `admin`',
    only: 'serve'
  },
  ...contractsTable,
  ...withTable
} as const satisfies Table

/** Who may send which requests. */
export const accessTable = {
  strict: {
    is: flag,
    default: false,
    help: 'answers 500 if a reply of the mock breaks its own contract',
    only: 'serve'
  },
  tokenCookie: {
    is: cookieName,
    otherwise: '`kcm-token`, which counts only if `/__mock/enter` has set it',
    help: 'the cookie that counts as the token if a request has no `Authorization` header: `admin`, `admin~any-name`. `GET /__mock/enter` sets it: [Sign-in](/src/doors/README.md#sign-in)'
  },
  anonymous: {
    is: text('user'),
    otherwise: 'nobody, a 401',
    help: 'the user of requests without a token: a key such as `basic`'
  },
  fallback: {
    is: serviceUrl,
    otherwise: 'a 404',
    help: 'a service that answers paths without an operation, page or override: [What is not there](/src/doors/README.md#what-is-not-there)',
    only: 'serve'
  },
  corsOrigin: { is: origins, default: '*', help: 'origins that pages may call from, separated by commas' },
  allowHost: {
    is: hostNames,
    default: [],
    help: 'host names that are allowed in the `Host` header besides `localhost` and IP addresses, separated by commas'
  },
  control: { is: choice('state', ['on', 'off']), default: 'on', help: '`off`: no control API, no dashboard' },
  controlToken: {
    is: bearerToken,
    otherwise: 'none',
    help: 'the token of the control API, sent as `X-Mock-Control-Token` or as the bearer token; required if `--host` can be reached from other machines. A Unix socket counts as local, and accepts any `Host`'
  },
  public: {
    is: flag,
    default: false,
    help: 'opens the mock to anybody: a sandbox per visitor, limits, no secrets, the control API only with its token: [A public demo](/src/doors/README.md#a-public-demo)',
    only: 'serve'
  },
  cookieSecret: {
    is: text('text'),
    otherwise: 'made at the start',
    help: 'key that signs the cookies of visitors; with a fixed one they survive a restart',
    only: 'serve'
  },
  rateLimit: {
    is: wholeNumber({ from: 0 }),
    default: 0,
    public: 300,
    help: 'requests a minute per visitor, or per address without a cookie; calls that do more count as several: [A public demo](/src/doors/README.md#a-public-demo). `0`: no limit',
    only: 'serve'
  },
  trustProxy: {
    is: wholeNumber({ from: 0 }),
    default: 0,
    help: 'number of trusted proxies before the mock, which set `X-Forwarded-For` and `X-Forwarded-Proto`',
    only: 'serve'
  },
  resetEvery: {
    is: duration({ unit: 'milliseconds', least: Number.MIN_VALUE, most: 36_500 }),
    otherwise: 'never',
    help: 'resets everything after this time, such as `24h`; clocks then start at the real time',
    only: 'serve'
  }
} as const satisfies Table
