export interface RandomCall {
  method: string
  path: string
  /** A user's key. */
  as: string
  body?: string | FormData
  headers?: Record<string, string>
}

export function randomCalls(document: object, collections: object, seed: number, mark: string): () => RandomCall
