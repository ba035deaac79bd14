/**
 * The eras of sandboxes: all are reset when one ends. Data of an earlier era in the engine is ignored. An era is named by the
 * engine's time at its start, in milliseconds.
 */
export interface Eras {
  /** That of all sandboxes. */
  all: number
  /** That of all but the default one. */
  others: number
  /** When the next one begins automatically, by the engine's time. 0: never. */
  next: number
  /** When the engine was last found empty, without the data that it had. 0: never. */
  emptied: number
  /** How many sandboxes were lost then and have not been reset. */
  lost: number
}

export function eraOf({ all, others }: Eras, sandbox: string): number {
  return sandbox === 'default' ? all : Math.max(all, others)
}

/** The content of an `own` entry: a life, its contracts, and the era. */
export interface Claim {
  life: string
  contract: string
  era: number
}

export function writeClaim({ life, contract, era }: Claim): string {
  return `${life} ${contract} ${era}`
}

export function readClaim(text: string): Claim {
  const [life = '', contract = '', era = '0'] = text.split(' ')
  return { life, contract, era: Number(era) }
}
