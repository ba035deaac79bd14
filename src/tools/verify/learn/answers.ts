import { isChoice } from '../../../engine/contract/ledger.js'
import type { Choices } from '../../../engine/contract/load.js'
import type { Redaction } from '../calls/redact.js'
import type { Answer } from '../results.js'
import type { Readings } from './readings.js'

/** The server's decisions on points that the description leaves open, as far as they were seen. */
export class Answers {
  private readonly start: Choices
  private readonly byId = new Map<string, Answer>()
  /** The command of the latest request. New answers refer to it by default. */
  latest: string | undefined

  constructor(
    private readonly readings: Readings,
    private readonly redaction: Redaction
  ) {
    this.start = readings.choices
  }

  /** The first evidence counts. Choices that the ledger does not have are kept as they are. */
  add(id: string, choice: string, evidence: string, curl = this.latest): void {
    if (this.byId.has(id)) return
    const shown = curl === undefined ? {} : { curl: this.redaction.text(curl) }
    this.byId.set(id, { id, choice, differs: this.start[id] !== choice, evidence, ...shown })
    if (this.isInLedger(id, choice)) this.readings.learn(id, choice)
  }

  /** Records every choice that differs from the known ones. */
  learn(choices: Choices, evidence: string, curl: string): void {
    for (const id of this.readings.differences(choices)) this.add(id, choices[id] as string, evidence, curl)
  }

  get(id: string): string | undefined {
    return this.byId.get(id)?.choice
  }

  /** In the order of the ledger. Entries that it does not have come last. */
  list(): Answer[] {
    const order = this.readings.ledger.map((entry) => entry.id)
    const placeOf = ({ id }: Answer) => (order.includes(id) ? order.indexOf(id) : order.length)
    return [...this.byId.values()].sort((a, b) => placeOf(a) - placeOf(b))
  }

  /** The choices that make the mock act like the server. */
  choices(): Choices {
    const entries = this.list().filter(({ id, choice }) => this.isInLedger(id, choice))
    return Object.fromEntries(entries.map(({ id, choice }) => [id, choice]))
  }

  private isInLedger(id: string, choice: string): boolean {
    const entry = this.readings.ledger.find((it) => it.id === id)
    return entry !== undefined && isChoice(entry, choice)
  }
}
