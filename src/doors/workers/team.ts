import { clearTimeout, setTimeout } from 'node:timers'
import { Refusal } from '../../contract/message/refusal.js'
import { partOf } from '../../mock/persistence/parts.js'
import type { OwnerAddress, SandboxPlace } from '../../mock/replicas/directory.js'

/** Milliseconds that a request waits for a worker that is being started again. */
const patience = 10_000

/** Where the workers are. Each sandbox belongs to one of them for good. */
export class Team {
  private places: (OwnerAddress | null)[]
  private readonly waiting = new Set<() => void>()

  constructor(
    private readonly index: number,
    readonly count: number,
    /** A worker did not answer at its place. */
    private readonly missed: (index: number) => void
  ) {
    this.places = Array(count).fill(null)
  }

  isHere(sandbox: string): boolean {
    return partOf(sandbox, this.count) === this.index
  }

  isThere(life: string): boolean {
    return this.places.some((it) => it?.life === life)
  }

  all(): OwnerAddress[] {
    return this.places.filter((it) => it !== null)
  }

  /** Waits for those that are being started again. Rejects with a Refusal if one is away for long. */
  others(): Promise<OwnerAddress[]> {
    const indexes = this.places.map((_, index) => index).filter((index) => index !== this.index)
    return Promise.all(indexes.map((index) => this.worker(index, `of worker ${index + 1}`)))
  }

  note(places: (OwnerAddress | null)[]): void {
    this.places = places
    for (const look of [...this.waiting]) look()
  }

  /** Rejects with a Refusal if its worker is away for long. */
  async place(sandbox: string): Promise<SandboxPlace> {
    return this.isHere(sandbox) ? 'here' : this.worker(partOf(sandbox, this.count), sandbox)
  }

  /** What is remembered of a worker may be wrong. Nothing is sent there until it has shown that it lives. */
  misled(sandbox: string, { life }: OwnerAddress): void {
    const index = partOf(sandbox, this.count)
    if (this.places[index]?.life !== life) return
    this.places[index] = null
    this.missed(index)
  }

  private worker(index: number, name: string): Promise<OwnerAddress> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const place = this.places[index]
        if (!place) return
        clearTimeout(late)
        this.waiting.delete(look)
        resolve(place)
      }
      const late = setTimeout(() => {
        this.waiting.delete(look)
        reject(new Refusal('elsewhere', { name, reason: `worker ${index + 1} is being started again` }))
      }, patience)
      this.waiting.add(look)
      look()
    })
  }
}
