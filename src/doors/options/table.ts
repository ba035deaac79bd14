import { syncModes } from '../../engine/keep/log.js'
import type { ForwardOptions } from '../../tools/proxy/forward.js'
import { logForms } from '../program/log.js'
import { choice, duration, flag, program, text, wholeNumber } from './kinds.js'
import { connectionTable } from './limits.js'
import { mockTable } from './mock-table.js'
import type { Options, Settled, Table } from './option.js'
import { choiceTable, contractsTable, withTable } from './start.js'

/** Several processes that share a state. */
const replicaTable = {
  peer: {
    is: text('url', {
      wanted: 'the address of a process, such as http://10.0.0.4:4010: scheme, host and port',
      read: (given) =>
        typeof given === 'string' && /^http:\/\//.test(given) && URL.canParse(given) && new URL(given).pathname === '/'
          ? new URL(given).origin
          : undefined
    }),
    otherwise: 'the address that it listens on',
    help: 'where the other processes on the same Redis reach this one',
    only: 'serve'
  },
  peerSecret: {
    is: text('text'),
    otherwise: 'one that follows from the control token',
    help: 'key that signs the requests that processes send each other; the same in all of them',
    only: 'serve'
  },
  copies: {
    is: wholeNumber({ from: 0, to: 16 }),
    default: 0,
    help: 'replicas of the Redis that must have a change before it is answered; with fewer, the answer is a 503',
    only: 'serve'
  },
  lease: {
    is: duration({ unit: 'milliseconds', least: 100, most: 1 }),
    default: 3000,
    help: 'how long a process that was killed keeps its sandboxes from the others, such as `3s`; whoever asks for one then waits three quarters more',
    only: 'serve'
  }
} as const satisfies Table

/** All options of `serve`, in the order of the help and of the table in README.md. */
export const serveTable = {
  port: {
    is: wholeNumber({ from: 0, to: 65_535, note: ' (0: any free port)' }),
    default: 4010,
    help: 'port to listen on; `0`: any free port'
  },
  host: { is: text('address'), default: '127.0.0.1', help: 'address to listen on; the default is this machine only' },
  door: {
    is: choice('name', ['direct', 'express']),
    default: 'direct',
    help: '`express`: documented operations pass through the router of Express too, with the same answers: [Doors](/src/doors/README.md)',
    only: 'serve'
  },
  ...mockTable,
  ...connectionTable,
  watch: {
    is: flag,
    default: false,
    help: 'reloads contracts, assumptions, fixtures and the scenario when they change: [Hot reload](/src/doors/watch/README.md)'
  },
  data: {
    is: text('folder, file or url'),
    otherwise: 'memory only',
    help: 'keeps the state in this folder, or in this `.json` file, which people can read and edit: [what survives](/src/engine/keep/README.md); or on a Redis or Valkey that several processes share, such as `redis://host:6379`: [Replicas](/src/redis/README.md)'
  },
  ...replicaTable,
  sync: {
    is: choice('when', syncModes),
    default: 'second',
    help: 'when writes to it are forced onto the disk; a killed process loses nothing in any case'
  },
  shutdownTimeout: {
    is: duration({ unit: 'seconds' }),
    default: 1,
    commandLine: 8,
    help: 'how long a stop (SIGTERM, SIGINT, `close()`) waits for requests in progress; a second signal stops at once'
  },
  shutdownDelay: {
    is: duration({ unit: 'seconds' }),
    default: 0,
    help: 'how long a stop goes on serving before that, with readiness 503 (`/__mock/health?ready=true`), so that a balancer notices first'
  },
  portFile: { is: text('file'), help: 'writes the port to this file once it accepts requests' },
  log: {
    is: choice('form', logForms),
    commandLine: 'info',
    otherwise: 'no requests',
    help: 'what is written to stderr. `info`: hints, and requests that were rejected, unknown or broke the contract; `json`: a line for every request'
  },
  onReload: {
    is: program<(line: string) => void>('(line: string) => void'),
    otherwise: 'written to stderr',
    help: 'called with a line for every reload: what changed, or where a file is broken',
    only: 'program'
  },
  upstream: {
    is: program<ForwardOptions>('ForwardOptions'),
    help: 'a real service that answers instead of the rules; the mock is then a proxy',
    only: 'program'
  }
} as const satisfies Table

/** The options of `openapi`. */
export const openapiTable = {
  ...choiceTable,
  ...contractsTable,
  ...withTable,
  server: {
    is: text('url'),
    otherwise: 'http://127.0.0.1:4010',
    help: 'the server address in the document',
    only: 'program'
  }
} as const satisfies Table

/** The options of `serve`. */
export type ServerOptions = Options<typeof serveTable>
export type SettledServer = Settled<typeof serveTable>

export type OpenapiOptions = Options<typeof openapiTable>
