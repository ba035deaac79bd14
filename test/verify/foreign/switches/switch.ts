/** An answer that is about to be sent. */
export interface Answer {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: a switch turns a body into what its type forbids
  body: any
}

/** A request that has been read. */
export interface Sent {
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown>
}

/** One way in which the service can differ from itself. */
export interface Switch {
  /** What it does then, as a sentence. */
  says: string
  /** The section of the description that it breaks. A legal choice breaks none. */
  breaks?: string
  /** The operations that show it; all where there are none. */
  at?: string
  /** Changes the answers of an operation. */
  answer?: (answer: Answer, operation: string) => void
  /** Whether a request to the last operation of `at` makes the service fail. */
  fails?: (sent: Sent) => boolean
}

export type Switches = { readonly [id: string]: Switch }

/** The operation that a switch is about: the others of `at` show what it did. */
export const operationOf = ({ at = '' }: Switch): string => at.slice(at.lastIndexOf(',') + 1)
