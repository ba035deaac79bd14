import { syncModes } from '../../engine/keep/log.js'
import type { ForwardOptions } from '../../tools/proxy/forward.js'
import { logForms } from '../program/log.js'
import { choice, duration, flag, program, text, wholeNumber } from './kinds.js'
import {
  accessTable,
  apiOption,
  definitionsTable,
  limitTable,
  mockTable,
  publicTable,
  startTable,
  stateTable
} from './mock-table.js'
import { grouped, type Options, type Settled, type Table } from './option.js'

/** All options of `serve`, in the order of the help and of the tables in README.md. */
export const serveTable = {
  ...grouped('Used most', {
    port: {
      is: wholeNumber({ from: 0, to: 65_535, note: ' (0: any free port)' }),
      default: 4010,
      help: 'the port to listen on; `0`: any free port'
    },
    host: {
      is: text('address'),
      default: '127.0.0.1',
      help: 'the address to listen on; with the default, only this machine can reach it'
    },
    ...startTable,
    data: {
      is: text('folder, file or url'),
      otherwise: 'memory only',
      help: 'keeps the state in this folder, or in this `.json` file, which people can edit: [what survives](/src/engine/keep/README.md); or on a Redis or Valkey that several processes share, such as `redis://host:6379`: [Replicas](/src/redis/README.md)'
    },
    watch: {
      is: flag,
      default: false,
      help: 'reloads contracts, assumptions, fixtures, overrides and the scenario when they change: [Hot reload](/src/doors/watch/README.md)'
    },
    log: {
      is: choice('form', logForms),
      commandLine: 'info',
      otherwise: 'no requests',
      help: 'what stderr gets. `info`: hints, and requests that were rejected, unknown or broke the contract; `json`: a line for every request'
    }
  }),
  ...grouped('State and contracts', {
    api: apiOption,
    ...stateTable,
    sync: {
      is: choice('when', syncModes),
      default: 'second',
      help: 'when changes are forced onto the disk; a killed process loses none in any case'
    }
  }),
  ...grouped('Sign-in and access', accessTable),
  ...grouped('Public demo', publicTable),
  ...grouped('Limits', {
    ...limitTable,
    maxConnections: {
      is: wholeNumber({ from: 1 }),
      default: 1000,
      help: 'number of connections; the next hundred get a 503, any more are closed without an answer'
    }
  }),
  ...grouped('Several processes', {
    peer: {
      is: text('url', {
        wanted: 'the address of a process, such as http://10.0.0.4:4010: scheme, host and port',
        read: (value) =>
          typeof value === 'string' &&
          /^http:\/\//.test(value) &&
          URL.canParse(value) &&
          new URL(value).pathname === '/'
            ? new URL(value).origin
            : undefined
      }),
      otherwise: 'the address that it listens on',
      help: 'where the other processes on the same Redis reach this one',
      only: 'serve'
    },
    peerSecret: {
      is: text('text'),
      otherwise: 'one that follows from the control token',
      help: 'the key that signs the requests between processes; the same in all of them',
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
      help: 'how long a killed process keeps its sandboxes from the others',
      only: 'serve'
    }
  }),
  ...grouped('Start and stop', {
    portFile: { is: text('file'), help: 'gets the port once the mock accepts requests' },
    door: {
      is: choice('name', ['direct', 'express']),
      default: 'direct',
      help: '`express`: documented operations pass through the router of Express too, with the same answers: [Doors](/src/doors/README.md)',
      only: 'serve'
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
      help: 'how long a stop keeps serving before that, with readiness 503 (`/__mock/health?ready=true`), so that a balancer notices first'
    }
  }),
  onProblem: mockTable.onProblem,
  onExchange: mockTable.onExchange,
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

export const openapiTable = {
  ...definitionsTable,
  server: {
    is: text('url'),
    otherwise: 'http://127.0.0.1:4010',
    help: 'the server address in the document',
    only: 'program'
  }
} as const satisfies Table

export type ServerOptions = Options<typeof serveTable>

/** What a config file may have: the options of all commands. The declarations of the package name them. */
export interface ConfigOptions extends Omit<ServerOptions, 'onExchange' | 'onProblem' | 'onReload'> {
  [option: string]: unknown
}
export type SettledServer = Settled<typeof serveTable>

export type OpenapiOptions = Options<typeof openapiTable>
