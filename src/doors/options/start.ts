import { type FixtureSet, fixtureSets } from '../../../fixtures/index.js'
import { profiles } from '../../contract/ledger.js'
import { readMoment } from '../../contract/pydantic/datetime.js'
import { readDuration } from '../../mock/sandbox/duration.js'
import { isVisitorCookie } from '../../serve/message/visitor-cookie.js'
import { assumed } from './assumed.js'
import { choice, flag, type Kind, number, text, texts, wholeNumber } from './kinds.js'
import type { Table } from './option.js'

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

/** Names are compared as they stand, so one that no browser sends would never match. */
function isOrigin(text: string): boolean {
  if (text === '*' || text === 'null') return true
  if (/^https?:/i.test(text)) return URL.canParse(text) && new URL(text).origin === text
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/.test(text)
}

const duration: Kind<string | number, number> = {
  type: 'string | number',
  wanted: 'a duration above 0: milliseconds, or a number with ms, s, m, h, d or w, such as "2h" or "1d 12h"',
  placeholder: 'duration',
  read(given) {
    const milliseconds = readDuration(given)
    return milliseconds !== undefined && milliseconds > 0 ? milliseconds : undefined
  }
}

const serviceUrl = text('url', {
  wanted: 'the address of a service, without a query, such as http://127.0.0.1:8080',
  read: (given) => (typeof given === 'string' && isServiceUrl(given) ? given : undefined)
})

function isServiceUrl(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
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
  wrong: 'is no bearer token',
  read: (given) => (typeof given === 'string' && /^[A-Za-z0-9\-._+/]+=*$/.test(given) ? given : undefined)
})

/** Which choices the ledger starts with: all commands have these. */
export const choiceTable = {
  profile: {
    is: choice('name', profiles),
    default: 'documented',
    help: 'whose choices the assumptions start with: those of the description, or what a running service was seen to do'
  },
  assume: {
    is: assumed,
    help: 'switches an assumption to a choice; repeatable, in the environment separated by commas. `@<file>`: the choices of a JSON file'
  }
} as const satisfies Table

export const contractsTable = {
  contracts: {
    is: text('folder'),
    otherwise: 'those of the package',
    help: 'contracts and ledger of your own; begin with a copy'
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

/** What the mock serves beside the platform. */
export const withTable = {
  with: {
    is: sources,
    default: [],
    help: "endpoints of your own beside the platform's: an OpenAPI document, or a folder with one; repeatable: [Your own endpoints](/src/doors/with/README.md)"
  }
} as const satisfies Table

/** What sandboxes start from. */
export const startTable = {
  seed: {
    is: wholeNumber(),
    default: 1,
    help: 'seeds fixtures and identifiers: the same seed and calls give the same bytes'
  },
  fixtures: {
    is: fixtures,
    default: 'demo',
    help: '`empty`: three users and the built-in agent; `demo`: a company with every state and value; `large`: many rows; `awkward`: legal but nasty texts and numbers; or a file of your own: [Fixtures](/fixtures/README.md#a-set-of-your-own)'
  },
  scale: { is: number({ above: 0, to: 10_000 }), default: 1, help: 'size of `large`; 1 is about 10,000 rows' },
  now: {
    is: time,
    otherwise: 'the real time, running',
    help: 'an ISO 8601 time: the clock of each sandbox stands still there, also after a reset'
  },
  scenario: {
    is: text('name or file'),
    otherwise: 'none',
    help: 'a scenario that each sandbox starts with, also after a reset; a JSON or YAML file, or one by its name: [Scenarios](/src/rules/control/scenarios/README.md)',
    only: 'serve'
  },
  overrides: {
    is: text('file'),
    otherwise: 'none',
    help: 'a JSON list of overrides that each sandbox starts with; the first that means a request answers it. Hot with `--watch`'
  },
  ...choiceTable,
  auth: {
    is: choice('mode', ['strict', 'any']),
    default: 'strict',
    help: '`any`: a token that no user has acts as `admin`',
    only: 'serve'
  },
  ...contractsTable,
  ...withTable
} as const satisfies Table

/** Who may ask what. */
export const accessTable = {
  strict: {
    is: flag,
    default: false,
    help: 'a reply of the mock that breaks its own contract is a 500',
    only: 'serve'
  },
  tokenCookie: {
    is: cookieName,
    default: 'kcm-token',
    help: 'the cookie whose value is the token where a request has no `Authorization` header: `admin`, `admin~any-name`. `GET /__mock/enter` sets it: [Sign-in](/src/doors/README.md#sign-in)'
  },
  anonymous: {
    is: text('user'),
    otherwise: 'nobody, a 401',
    help: 'who a request without any token is: the key of a user, such as `basic`'
  },
  fallback: {
    is: serviceUrl,
    otherwise: 'a 404',
    help: 'a service that answers paths that no operation, page or override has: [What is not there](/src/doors/README.md#what-is-not-there)',
    only: 'serve'
  },
  corsOrigin: { is: origins, default: '*', help: 'origins that pages may call from, separated by commas' },
  allowHost: {
    is: hostNames,
    default: [],
    help: 'names that a `Host` header may give beside `localhost` and IP addresses, separated by commas'
  },
  control: { is: choice('state', ['on', 'off']), default: 'on', help: '`off`: no control API, no dashboard' },
  controlToken: {
    is: bearerToken,
    otherwise: 'none',
    help: 'what the control API asks for, as `X-Mock-Control-Token` or as the bearer token; needed with a `--host` beyond this machine. A Unix socket is of this machine, and takes any `Host`'
  },
  public: {
    is: flag,
    default: false,
    help: 'for anybody: a sandbox per visitor, limits, no secrets, the control API with its token only: [A public demo](/src/doors/README.md#a-public-demo)',
    only: 'serve'
  },
  cookieSecret: {
    is: text('text'),
    otherwise: 'made at the start',
    help: 'signs the cookies of visitors; give one and they outlive a restart',
    only: 'serve'
  },
  rateLimit: {
    is: wholeNumber({ from: 0 }),
    default: 0,
    public: 300,
    help: 'requests a minute per visitor, or per address where there is no cookie; `0`: any number',
    only: 'serve'
  },
  trustProxy: {
    is: wholeNumber({ from: 0 }),
    default: 0,
    help: 'proxies before the mock that are trusted to say who asks, by `X-Forwarded-For` and `X-Forwarded-Proto`',
    only: 'serve'
  },
  resetEvery: {
    is: duration,
    otherwise: 'never',
    help: 'all starts anew after so long, such as `24h`, at the real time then',
    only: 'serve'
  }
} as const satisfies Table
