/** One way in which the service can differ from itself. */
export interface Switch {
  /** What it does then, as a sentence. */
  says: string
  /** The section of the description that it breaks. A legal choice breaks none. */
  breaks?: string
}

export type Switches = { readonly [id: string]: Switch }
