import type { JournalDetail } from '../../../../contract/types.gen.js'
import type { JsonPath, Remark } from '../../json/json-lines.js'

/** Remarks on places of a request (body, query, path) and of a response's body. */
export interface ExchangeRemarks {
  request: Remark[]
  response: Remark[]
}

type InputError = { type?: string; loc?: JsonPath; msg: string }

/** The problems and violations of an exchange, with their places. */
export function marksOf({ checks, violations }: JournalDetail): ExchangeRemarks {
  const marks: ExchangeRemarks = { request: [], response: [] }
  for (const { check, problems } of checks) {
    // Problems without a place are violations, whose sentence names it.
    for (const { type, loc, msg } of problems as InputError[]) {
      // The position of a mistake in JSON is no place in a value.
      if (loc && type !== 'json_invalid') marks[check].push({ place: loc, text: msg })
    }
  }
  for (const violation of violations) {
    const input = /^((?:body|query|path)\.\S+) (.*)$/s.exec(violation)
    if (input) marks.request.push({ place: (input[1] as string).split('.'), text: input[2] as string })
    // ajv's format: a JSON pointer and a sentence.
    const reply = /^\/(\S*) (.*)$/s.exec(violation)
    if (reply) marks.response.push({ place: (reply[1] as string).split('/').filter(Boolean), text: reply[2] as string })
  }
  return marks
}

/** The remarks on one part of a request, with places relative to it. */
export function within(marks: Remark[], part: string): Remark[] {
  return marks.filter(({ place }) => place[0] === part).map(({ place, text }) => ({ place: place.slice(1), text }))
}
