import { isChoice, type LedgerEntry, readLedger } from '../../../contract/ledger.js'
import type { Answer } from '../results.js'
import { table, text } from './markup.js'

/** The server's choices, in words, next to the mock's choices and with the request that showed them. */
export function learned(answers: readonly Answer[]): string {
  const ledger = readLedger()
  const entryOf = (id: string) => ledger.find((it) => it.id === id)
  const differs = ({ id, choice }: Answer) => entryOf(id)?.default !== choice
  const heads = ['Question', 'This service', 'The mock', 'Shown by']
  const part = (caption: string, some: Answer[]) =>
    some.length === 0
      ? ''
      : table(
          `${caption}: ${some.length}`,
          heads,
          some.map((it) => rowOf(it, entryOf(it.id)))
        )
  const unseen = ledger.filter(({ id, fixed }) => !fixed && !answers.some((it) => it.id === id))
  return [
    '<p>The description leaves these points open, so none of them is a fault.</p>',
    part('In another way than the mock', answers.filter(differs)),
    part(
      'As the mock',
      answers.filter((it) => !differs(it))
    ),
    unseen.length === 0 ? '' : notShown(unseen)
  ].join('\n')
}

function rowOf({ id, choice, evidence, curl }: Answer, entry: LedgerEntry | undefined): string[] {
  const isSame = entry?.default === choice
  const mock = entry
    ? `${isSame ? 'The same.' : said(entry, entry.default)}<p class="soft">${text(entry.reason)}</p>`
    : ''
  const request = curl === undefined ? '' : `<details><summary>The request</summary><pre>${text(curl)}</pre></details>`
  return [
    `${entry ? text(entry.question) : 'Not in the ledger'}<p class="soft"><code>${text(id)}</code>${entry ? `<br>Left open in ${text(entry.place.join(', '))}` : ''}</p>`,
    entry ? said(entry, choice) : `<code>${text(choice)}</code>`,
    mock || 'It has no such choice.',
    `${text(evidence)}${request}`
  ]
}

/** A choice, by its name and in words. */
function said(entry: LedgerEntry, choice: string): string {
  const [, words] =
    Object.entries(entry.choices).find(([name]) => isChoice({ ...entry, choices: { [name]: '' } }, choice)) ?? []
  return `<code>${text(choice)}</code>${words === undefined || words === choice ? '' : `<p>${text(words)}</p>`}`
}

function notShown(entries: LedgerEntry[]): string {
  const items = entries.map(({ id, question }) => `<li>${text(question)} <code class="soft">${text(id)}</code></li>`)
  return `<details class="plain"><summary>Not shown by this run: ${entries.length}</summary><ul>${items.join('\n')}</ul></details>`
}
