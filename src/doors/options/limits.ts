import { bytes, milliseconds, number, seconds, wholeNumber } from './kinds.js'
import type { Table } from './option.js'

const KiB = 1024
const MiB = 1024 * KiB

/** How much sandboxes, journals and bodies may hold. */
export const limitTable = {
  maxSandboxes: {
    is: number({ from: 1 }),
    default: 10_000,
    public: 1000,
    help: 'sandboxes at once; one more is a 429'
  },
  maxSandboxBytes: {
    is: bytes(),
    default: 256 * MiB,
    public: 128 * KiB,
    help: 'bytes of rows, as JSON, that a sandbox and its snapshots may hold beside what they started from; what makes it more is a 413'
  },
  sandboxIdle: {
    is: seconds(),
    default: 0,
    public: 3600,
    help: 'a sandbox that nobody used for so long is dropped, and then a 404 until it is made anew; `0`: none is'
  },
  journalEntries: {
    is: number({ from: 1 }),
    default: 1000,
    public: 100,
    help: "exchanges that each sandbox's journal keeps"
  },
  journalBytes: { is: bytes(), default: 16 * MiB, public: 256 * KiB, help: "bytes that each sandbox's journal keeps" },
  maxDelay: {
    is: milliseconds(),
    default: 3_600_000,
    public: 5000,
    help: 'how long `Prefer: delay` may hold an answer back; more is a 400'
  },
  maxUploadBytes: {
    is: bytes({ from: 1 }),
    default: 512 * MiB,
    public: 64 * MiB,
    help: 'bytes that the bodies of all requests in progress may hold together; one that has no room is a 503 with `Retry-After`'
  },
  maxJsonValues: {
    is: number({ from: 1 }),
    default: 20_000,
    help: 'members and items of a JSON body, of `credential_json` in a form (E12) and of the metadata in a zip (E17); one more is a 413'
  }
} as const satisfies Table

/** What one connection may ask of the server. */
export const connectionTable = {
  maxHeaderBytes: {
    is: bytes({ from: 256, isWhole: true }),
    default: 16 * KiB,
    help: "bytes of a request's line and headers together; more is a 431"
  },
  maxHeaders: { is: wholeNumber({ from: 1 }), default: 200, help: 'headers of a request; one more is a 431' },
  maxConnections: {
    is: wholeNumber({ from: 1 }),
    default: 1000,
    help: 'connections at once; one more is told so by a 503, a hundred more are closed without a word'
  },
  maxUnanswered: {
    is: wholeNumber({ from: 2 }),
    default: 100,
    help: 'requests of one connection that are in progress at once; those that follow wait for their turn'
  },
  headersTimeout: {
    is: seconds(),
    default: 60,
    help: 'the time that the headers of a request may take; then it is a 408; `0`: any'
  },
  requestTimeout: {
    is: seconds(),
    default: 300,
    help: 'the time that a whole request may take to come; then it is a 408; `0`: any'
  },
  keepAliveTimeout: { is: seconds(), default: 65, help: 'the time that an idle connection is kept' },
  lingerBytes: {
    is: bytes(),
    default: 128 * MiB,
    help: 'bytes that are still read and dropped of a body that was refused, so that its client sees the answer'
  },
  lingerTimeout: { is: seconds(), default: 10, help: 'the time that they may take' }
} as const satisfies Table
