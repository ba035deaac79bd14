import type { OwnerAddress } from '../../mock/replicas/directory.js'

/** Set in the environment of a worker. */
export const workerVariable = 'KNOWLEDGE_CHAT_MOCK_WORKER'

/** What a worker is told at its start. */
export interface BeginMessage {
  op: 'begin'
  /** From 0. */
  index: number
  count: number
  /** Signs the requests that workers pass on to each other. */
  secret: string
  /** Signs the cookies of visitors, if the options do not. */
  cookieSecret: string
  /** Identifies the mock. */
  instance: string
  /** When the mock was started: milliseconds since 1970. */
  since: number
  /** The folder of its part of the state. */
  part: string | undefined
}

/** What a worker asks the primary, which answers for all of them. */
export type PrimaryQuestion =
  /** How many sandboxes do the others have? It may make one now. */
  | { about: 'room' }
  /** Counts a request. */
  | { about: 'rate'; who: 'visitor' | 'address'; key: string }

/** What the primary says to a worker. A connection comes with its socket. */
export type ToWorker =
  | BeginMessage
  /** Where the workers are reached; null: it is being started. */
  | { op: 'there'; workers: (OwnerAddress | null)[] }
  | { op: 'answer'; id: number; value: unknown }
  /** Asks for a sign of life. */
  | { op: 'look' }
  /** `first`: what its client has sent so far. `isFull`: there are too many connections. */
  | { op: 'connection'; id: number; first: Uint8Array | undefined; isFull: boolean }
  /** A stop has begun. Requests still come. */
  | { op: 'leave' }
  /** Accept no more requests, and finish those in progress. */
  | { op: 'finish' }
  /** All workers have finished. */
  | { op: 'end' }

/** What a worker says to the primary. */
export type ToPrimary =
  | { op: 'hello' }
  | { op: 'ready'; place: OwnerAddress }
  /** It could not start. */
  | { op: 'failed'; message: string }
  | { op: 'alive' }
  /** A worker did not answer. */
  | { op: 'missed'; index: number }
  | { op: 'ask'; id: number; question: PrimaryQuestion }
  /** How many sandboxes it has, without the default one; and how many it no longer is about to make. */
  | { op: 'owns'; count: number; made: number }
  /** It has got a connection. */
  | { op: 'taken'; id: number }
  /** One is closed. */
  | { op: 'closed' }
  | { op: 'finished' }
