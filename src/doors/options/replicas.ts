import { duration, text, wholeNumber } from './kinds.js'
import type { Table } from './option.js'

/** Several processes that share a state. */
export const replicaTable = {
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
