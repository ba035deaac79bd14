import type { Asker, Reply } from '../calls/client.js'
import type { Call } from '../calls/request.js'
import { answered, type Run } from '../run.js'

/** One question to the server. Its reply shows a choice, or none. */
export interface Probe {
  /** The ledger's entry. */
  id: string
  evidence: string
  call: (run: Run) => Call
  as?: Asker
  read: (reply: Reply) => string | undefined
}

/** Asks the questions in the order of the list. If two show the same point, the first one counts. */
export async function probe(run: Run, probes: readonly Probe[]): Promise<void> {
  for (const { id, evidence, call, as, read } of probes) {
    const reply = (await answered(() => run.send(call(run), as)))?.value.reply
    const choice = reply && reply.status < 500 ? read(reply) : undefined
    if (choice !== undefined) run.answers.add(id, choice, evidence)
  }
}
