/** What the processes have in common. */
export interface ReplicaOptions {
  /** Milliseconds of a lease. */
  lease: number
  /** Milliseconds after which a sandbox that nobody uses is dropped. 0: never. */
  idle: number
  /** Milliseconds after which a sandbox that nobody uses leaves memory. */
  sleep: number
  /** Whether visitors have sandboxes of their own, which they cannot reset. */
  isPublic: boolean
  /** Milliseconds after which all sandboxes begin anew. 0: never. */
  every: number
}
