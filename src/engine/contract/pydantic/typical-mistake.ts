import { type Documents, type Json, type JsonObject, schemaOf } from '../load.js'
import type { InputError, Operation, RawInput } from '../model.js'
import { unknownParameter } from '../outcomes.js'
import type { InputCheck } from '../validation/validate.js'

/** A request that breaks its contract in one place. */
interface Mistake {
  raw: RawInput
  place: keyof RawInput
  name: string
}

type MistakeCheck = (raw: RawInput, assumed: Set<string>) => InputCheck

/** A request that breaks its contract, as a check found it. */
export interface FoundMistake {
  name: string
  problem: InputError
  /** The assumptions that the check depends on. */
  noted: Set<string>
}

/**
 * The errors of a request with the named mistake, or else the most common one for an operation (2.16). `check` checks a
 * request against the contract; `assumed` receives the assumptions of the answer.
 */
export function typicalMistake(
  documents: Documents,
  operation: Operation,
  check: MistakeCheck,
  assumed: Set<string>,
  name: string
): InputError {
  const found = [...foundMistakes(documents, operation, check)]
  const mistake = found.find((it) => it.name === name) ?? found[0]
  if (!mistake) throw new Error(`No request for ${operation.id} breaks its contract`)
  for (const id of mistake.noted) assumed.add(id)
  return mistake.problem
}

/** What the check finds in requests with common mistakes, most common first. */
export function* foundMistakes(
  documents: Documents,
  operation: Operation,
  check: MistakeCheck
): IterableIterator<FoundMistake> {
  for (const { raw, place, name } of mistakes(documents, operation)) {
    const noted = new Set<string>()
    const { problems, unknown } = check(raw, noted)
    const problem = [...problems, ...unknown].find(({ loc }) => loc[0] === place && loc[1] === name)
    if (!problem) continue
    yield { name: problem.type === 'extra_forbidden' ? unknownParameter : `wrong-${place}`, problem, noted }
  }
}

/** Requests for an operation: its examples, each with one mistake, most common first. Some may still be valid. */
function* mistakes(documents: Documents, operation: Operation): IterableIterator<Mistake> {
  const [example = {}] = Object.values(operation.examples)
  const right: RawInput = { path: texts(example.path), query: texts(example.query), body: example.body }
  const schemas = {
    path: schemaOf(documents, operation.input.path),
    query: schemaOf(documents, operation.input.query),
    body: schemaOf(documents, operation.input.body)
  }
  const namesIn = (place: 'path' | 'query' | 'body') => Object.keys((schemas[place].properties ?? {}) as JsonObject)
  const put = (place: keyof RawInput, name: string, value: Json): Mistake => ({
    raw: { ...right, [place]: { ...(right[place] as object), [name]: value } },
    place,
    name
  })
  for (const name of (schemas.body.required ?? []) as string[]) {
    const { [name]: _, ...body } = (right.body ?? {}) as JsonObject
    yield { raw: { ...right, body }, place: 'body', name }
  }
  for (const place of ['path', 'query'] as const) for (const name of namesIn(place)) yield put(place, name, 'abc')
  for (const value of ['abc', {}]) for (const name of namesIn('body')) yield put('body', name, value)
  yield put('query', 'unexpected', 'abc')
}

/** Path and query parameters arrive as texts. */
function texts(values: JsonObject = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
}
