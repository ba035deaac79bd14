import type { Documents, Json } from '../../engine/contract/load.js'
import type { MockAnswer } from '../../engine/contract/model.js'
import { type Fields, partsOf } from '../../engine/contract/schemas/schemas.js'

type Action = NonNullable<NonNullable<MockAnswer['row']>['action']>

/** Verbs whose status is another word. */
const others: Record<string, string> = {
  deactivate: 'inactive',
  freeze: 'frozen',
  hold: 'held',
  pay: 'paid',
  reopen: 'open',
  send: 'sent',
  withdraw: 'withdrawn'
}

const wordsIn = (text: string) => (text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []).map((it) => it.toLowerCase())

/** How well a word is what a verb leads to: `cancelled`, `active`, and last `processing`. 0: it is not. */
function rankOf(verb: string, word: string): number {
  if (word === verb || word === others[verb]) return 3
  const stem = verb.replace(/(ate|[ey])$/, '')
  const end = word.startsWith(stem) ? word.slice(stem.length) : ''
  return /^(at|.)?i?ed$|^e$/.test(end) ? 2 : /^(at|.)?ing$/.test(end) ? 1 : 0
}

/** What an action sets in its row: the status that its name leads to, such as `cancelled` at `/orders/{id}/cancel`. */
export function actionOf(
  method: string,
  segment: string,
  { properties }: Fields,
  documents: Documents
): Action | undefined {
  const name = segment.replace(/^(mark|set)[-_](as[-_])?/, '')
  const isRemoval = method === 'DELETE'
  const isOff = isRemoval || /^un(?!do)/.test(name)
  const done = name.replace(/^un-?/, '')
  const rank = (name: string, text: string) => {
    const [[verb = '', ...rest], [word = '', ...more]] = [wordsIn(name), wordsIn(text)]
    return verb !== '' && more.join() === rest.join() ? rankOf(verb, word) : 0
  }
  const candidates = Object.entries(properties).flatMap(([field, schema]): [rank: number, Action][] => {
    const parts = partsOf(documents, schema)
    const values = parts.flatMap((it) => ((it.enum ?? []) as Json[]).filter((value) => typeof value === 'string'))
    const [first = ''] = values
    const usual = /^(status|state)$/i.test(field) ? 0.5 : 0
    const flag = parts.some(({ type }) => type === 'boolean') ? rank(done, field.replace(/^is(_|(?=[A-Z]))/, '')) : 0
    return [
      ...(isRemoval ? [] : values).map((value): [number, Action] => [rank(name, value) + usual, { field, value }]),
      // Who takes an action back has a row as it was at first.
      ...(isOff ? values.slice(1) : []).map((value): [number, Action] => [
        rank(done, value) + usual,
        { field, value: first }
      ]),
      [flag, { field, value: !isOff }]
    ]
  })
  const [best] = candidates.filter(([rank]) => rank >= 1).sort(([a], [b]) => b - a)
  return best?.[1]
}
