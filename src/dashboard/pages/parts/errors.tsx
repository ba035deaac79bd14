import { href } from '../route.js'
import { rowLabel } from '../state/labels.js'

/** What the words of pydantic ask for. */
const wordings: [said: RegExp, asks: string][] = [
  [/^(Input should be a valid|Unable to parse input string as an) integer.*/s, 'Enter a whole number.'],
  [/^Input should be a valid number.*/s, 'Enter a number.'],
  [/^Input should be a valid boolean.*/s, 'Enter true or false.'],
  [/^Input should be a valid string.*/s, 'Enter a text.'],
  [/^Input should be a valid list.*/s, 'Enter a list.'],
  [/^Input should be a valid dictionary.*/s, 'Enter an object with fields.'],
  [/^(Input should be a valid UUID|UUID input).*/s, 'Enter a UUID, such as 3f2b7c1e-5d4a-4c6b-9e8f-1a2b3c4d5e6f.'],
  [/^Input should be a valid datetime.*/s, 'Enter a date and time, such as 2026-03-02T10:00:00Z.'],
  [/^Input should be greater than or equal to (.*)/s, 'Enter $1 or more.'],
  [/^Input should be less than or equal to (.*)/s, 'Enter $1 or less.'],
  [/^Input should be (greater|less) than (.*)/s, 'Enter a value $1 than $2.'],
  [/^Input should be (['\d].*)/s, 'Choose $1.'],
  [/^(?:String|List) should have (at (?:least|most) \d+ \w+).*/s, 'Enter $1.'],
  [/^String should match pattern '\^\[A-Za-z0-9_-\]\{1,64\}\$'$/, 'Use up to 64 letters, digits, "_" and "-".'],
  [/^Field required$/, 'Enter a value: it is required.'],
  [/^Extra inputs are not permitted$/, 'Remove this: no such field is accepted.']
]

/** What to do about an error, and its original words if they are others. */
export function plainly(text: string): string {
  const [said, asks] = wordings.find(([said]) => said.test(text)) ?? []
  return said && asks ? `${text.replace(said, asks)} (${text})` : text
}

/** A text. A refusal to delete a row has links to the rows that refer to it. */
export function Linked({ text }: { text: string }) {
  if (!text.includes(' still refer to ')) return <>{text}</>
  return text.split(/(\b[a-zA-Z]{1,40} (?:[\da-f]{8}-[\da-f-]{27}|\d{1,16})\b)/).map((part, at) => {
    const [collection = '', id = ''] = part.split(' ')
    return at % 2 === 0 ? (
      part
    ) : (
      <a key={part} href={href('state', [collection, id])} title={part}>
        {rowLabel(collection, id)}
      </a>
    )
  })
}
