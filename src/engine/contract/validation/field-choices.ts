import { type Choices, type Documents, isObject, type Json, type JsonObject } from '../load.js'

/** Assumptions whose choice may list fields of bodies, such as `fields:createOrder.name,changeOrder.name`. */
const required = 'requests.required'
const nulls = 'requests.null'

/** The fields that a choice names, as `<operation>.<field>`. */
export function fieldsIn(choice: string | undefined): string[] {
  return choice?.startsWith('fields:') ? choice.slice('fields:'.length).split(',') : []
}

/** The documents with the fields of the choices required or nullable, also in examples. Unknown ones do nothing. */
export function withFields(documents: Documents, choices: Choices): Documents {
  const needed = fieldsIn(choices[required])
  const nullable = fieldsIn(choices[nulls])
  if (needed.length + nullable.length === 0) return documents
  const changed = (id: string, row: JsonObject): JsonObject => {
    const of = (fields: string[]) => fields.filter((it) => it.startsWith(`${id}.`)).map((it) => it.slice(id.length + 1))
    const inputs = row.input as Record<string, JsonObject> | undefined
    const body = inputs?.body
    const properties = body?.properties
    if (!isObject(properties)) return row
    const names = of(needed).filter((name) => name in properties)
    const takesNull = of(nullable)
    const marked = Object.entries(properties).map(([name, field]) => {
      const marks = isObject(field) ? field['x-null'] : undefined
      if (!takesNull.includes(name) || !isObject(marks)) return [name, field]
      const taking = [...((marks[nulls] ?? []) as string[]), choices[nulls] as string]
      return [name, { ...(field as JsonObject), 'x-null': { ...marks, [nulls]: taking } }]
    })
    const all = [...new Set([...((body?.required ?? []) as string[]), ...names])]
    return {
      ...row,
      input: {
        ...inputs,
        body: { ...body, properties: Object.fromEntries(marked), ...(all.length > 0 && { required: all }) }
      },
      examples: completed(row.examples as JsonObject, properties, names)
    }
  }
  return Object.fromEntries(
    Object.entries(documents).map(([file, document]) => {
      const rows = Object.entries((document.operations ?? {}) as Record<string, JsonObject>)
      const operations = Object.fromEntries(rows.map(([id, row]) => [id, changed(id, row)]))
      return [file, document.operations ? { ...document, operations } : document]
    })
  )
}

/** Throws an Error for a field that no body has, or that cannot be null. */
export function checkFields(documents: Documents, choices: Choices, example: string): void {
  for (const id of [required, nulls]) {
    const problem = problemOf(documents, id, choices[id] as string, example)
    if (problem) throw new Error(problem)
  }
}

export function problemOf(documents: Documents, id: string, choice: string, example: string): string | undefined {
  const wrong = fieldsIn(choice).find((field) => {
    const [operation = '', name = ''] = field.split('.')
    const rows = Object.values(documents).map(
      (it) => (it.operations as Record<string, JsonObject> | undefined)?.[operation]
    )
    const body = (rows.find((it) => it !== undefined)?.input as Record<string, JsonObject> | undefined)?.body
    const property = (body?.properties as JsonObject | undefined)?.[name]
    return id === nulls ? !JSON.stringify(property ?? '').includes(nulls) : property === undefined
  })
  if (wrong === undefined) return undefined
  const what = id === nulls ? 'not a field that can be null' : 'not a field of a body'
  return `${id} names ${wrong}, which is ${what}. Give <operation>.<field>, such as ${example}.`
}

function completed(examples: JsonObject, properties: JsonObject, names: string[]): JsonObject {
  if (names.length === 0) return examples
  const bodies = Object.values(examples).map((it) => (isObject(it) && isObject(it.body) ? it.body : {}))
  const values = names.map((name): [string, Json] => [
    name,
    bodies.find((it) => it[name] !== undefined)?.[name] ?? someValue(properties[name] as JsonObject)
  ])
  return Object.fromEntries(
    Object.entries(examples).map(([key, example]) => {
      if (key.startsWith('x-') || !isObject(example) || !isObject(example.body ?? {})) return [key, example]
      return [key, { ...example, body: { ...Object.fromEntries(values), ...(example.body as JsonObject) } }]
    })
  )
}

function someValue({ default: value, type, minimum, enum: values }: JsonObject): Json {
  if (value !== undefined) return value
  if (Array.isArray(values)) return values[0] as Json
  return { integer: minimum ?? 1, number: minimum ?? 1, boolean: false, array: [], object: {} }[String(type)] ?? ''
}
