import { bytes, duration, number, wholeNumber } from './kinds.js'
import type { Table } from './option.js'

const KiB = 1024
const MiB = 1024 * KiB

/** Limits of sandboxes, journals and bodies. */
export const limitTable = {
  maxSandboxes: {
    is: number({ from: 1 }),
    default: 10_000,
    public: 1000,
    help: 'highest number of sandboxes; one more is rejected with 429. With `--data redis://` it is that of each process, without those that sleep'
  },
  maxSandboxBytes: {
    is: bytes(),
    default: 256 * MiB,
    public: 128 * KiB,
    help: 'bytes of JSON that the rows of a sandbox and its snapshots may take, without the rows they started with; a write above it is rejected with 413'
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
    help: "highest number of exchanges in each sandbox's journal"
  },
  journalBytes: {
    is: bytes(),
    default: 16 * MiB,
    public: 256 * KiB,
    help: "highest number of bytes in each sandbox's journal"
  },
  maxDelay: {
    is: duration({ unit: 'milliseconds' }),
    default: 3_600_000,
    public: 5000,
    help: 'longest delay that `Prefer: delay` may ask for; more is rejected with 400'
  },
  maxUploadBytes: {
    is: bytes({ from: 1 }),
    default: 512 * MiB,
    public: 64 * MiB,
    help: 'total bytes of the bodies of all requests in progress; one above it is rejected with 503 and `Retry-After`'
  },
  maxJsonValues: {
    is: number({ from: 1 }),
    default: 20_000,
    help: 'highest number of members and items in a JSON body, in `credential_json` of a form (E12) and in the metadata of a zip (E17); more are rejected with 413'
  }
} as const satisfies Table

/** Limits of one connection. */
export const connectionTable = {
  maxHeaderBytes: {
    is: bytes({ from: 256, isWhole: true }),
    default: 16 * KiB,
    help: 'highest number of bytes in the request line and headers; more are rejected with 431'
  },
  maxHeaders: {
    is: wholeNumber({ from: 1 }),
    default: 200,
    help: 'highest number of headers; more are rejected with 431'
  },
  maxConnections: {
    is: wholeNumber({ from: 1 }),
    default: 1000,
    help: 'highest number of connections; the next hundred get a 503, any more are closed without an answer'
  },
  maxUnanswered: {
    is: wholeNumber({ from: 2 }),
    default: 100,
    help: 'highest number of requests in progress per connection; further ones wait for their turn'
  },
  headersTimeout: {
    is: duration({ unit: 'seconds' }),
    default: 60,
    help: 'time for the headers of a request to arrive; after it the answer is a 408. `0`: no limit'
  },
  requestTimeout: {
    is: duration({ unit: 'seconds' }),
    default: 300,
    help: 'time for a whole request to arrive; after it the answer is a 408. `0`: no limit'
  },
  keepAliveTimeout: {
    is: duration({ unit: 'seconds' }),
    default: 65,
    help: 'time after which an idle connection is closed'
  },
  lingerBytes: {
    is: bytes(),
    default: 128 * MiB,
    help: 'bytes of a rejected body that are still read and dropped, so that the client sees the answer'
  },
  lingerTimeout: { is: duration({ unit: 'seconds' }), default: 10, help: 'time for reading them' }
} as const satisfies Table
