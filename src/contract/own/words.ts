import type { JsonObject } from '../load.js'
import { matches } from '../schemas/patterns.js'

const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Mary Jackson', 'Tim Berners-Lee', 'Radia Perlman']
const nouns = ['amber', 'birch', 'canyon', 'delta', 'ember', 'fjord', 'garden', 'harbour', 'island', 'juniper']

/** Texts for fields with these names. */
const words: [RegExp, string[]][] = [
  [/e_?mail/i, ['ada@example.com', 'grace@example.com', 'alan@example.com', 'mary@example.com', 'tim@example.com']],
  [/^first_?name$/i, people.map((name) => name.split(' ')[0] as string)],
  [/^(last|sur)_?name$/i, people.map((name) => name.split(' ').at(-1) as string)],
  [/(full|user|display|owner|author|creator|person)_?name$|^(owner|author|creator|assignee)$/i, people],
  [/(company|organi[sz]ation|tenant)(_?name)?$/i, ['Acme', 'Globex', 'Initech', 'Umbrella', 'Hooli']],
  [/file_?name$/i, ['report.pdf', 'notes.md', 'budget.xlsx', 'contract.docx', 'photo.jpg']],
  [/(url|uri|link|href|website)$/i, nouns.map((noun) => `https://example.com/${noun}`)],
  [
    /(title|subject|headline|name|label)$/i,
    ['Spring launch', 'Weekly review', 'Hiring plan', 'Release notes', 'Customer feedback', 'Road map', 'Team offsite']
  ],
  [
    /(description|summary|about|bio|text|content|body|comment|note|message|prompt|instructions)$/i,
    ['A first draft.', 'Ready for review.', 'See the notes of Monday.', 'Nothing to add.', 'It works as before.']
  ],
  [/(city|town)$/i, ['Oslo', 'Lisbon', 'Kyoto', 'Nairobi', 'Quito']],
  [/country$/i, ['Norway', 'Portugal', 'Japan', 'Kenya', 'Ecuador']],
  [/(street|address)$/i, ['1 Main Street', '22 Park Lane', '7 Mill Road']],
  [/phone/i, ['+1 555 0100', '+1 555 0101', '+1 555 0102']],
  [/colou?r$/i, ['red', 'green', 'blue', 'orange', 'purple']],
  [/version$/i, ['1.0.0', '1.2.0', '2.0.1']]
]

/** Numbers in texts, such as the decimals of pydantic. */
const numbers = ['12.50', '8.00', '199.90', '42.00', '0.75']

/** Texts of formats that generators often miss. */
const texts = new Map([
  ['duration', ['PT15M', 'PT1H30M', 'P1D']],
  ['byte', nouns.map((noun) => btoa(noun))]
])

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const']

/** A text that fits the field's name. Numbers without bounds get a minimum of 0. Other schemas stay the same. */
export function worded({ type, format, ...rest }: JsonObject, name: string): JsonObject {
  const types = [type].flat()
  const isNumber = types.some((it) => it === 'integer' || it === 'number')
  if (isNumber && !bounds.some((key) => rest[key] !== undefined)) return { minimum: type === 'integer' ? 1 : 0 }
  const formed = typeof format === 'string' ? texts.get(format) : undefined
  if (formed) return { enum: formed }
  const isText = types[0] === 'string' && (format === undefined || format === 'email')
  if (!isText || rest.enum !== undefined || rest.const !== undefined) return {}
  const [least, most] = [Number(rest.minLength ?? 0), Number(rest.maxLength ?? Number.POSITIVE_INFINITY)]
  const known = words.find(([form]) => form.test(format === 'email' ? 'email' : name))?.[1] ?? nouns
  const { pattern } = rest
  const all = typeof pattern === 'string' ? [...known, ...numbers].filter((text) => matches(pattern, text)) : known
  const good = all.filter((text) => text.length >= least && text.length <= most)
  return good.length === 0 ? {} : { enum: good }
}
