import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import type { Mistake } from '../model.js'
import { keywords } from '../schemas/keywords.js'
import { identities, tagKinds } from '../schemas/schemas.js'

/** The most schemas that one value is checked against. Each may be composed of others. */
const mostSchemas = 5_000

/** Keywords that combine schemas for the same value. */
const lists = ['allOf', 'anyOf', 'oneOf']
const single = ['not', 'if', 'then', 'else']

/**
 * Breaks endless recursion: schemas that are composed of themselves. Java generators write them: a base with `oneOf`
 * its subtypes, each with `allOf` the base. The reference to the base is replaced by the base's own fields.
 */
function createSettle(
  documents: Documents,
  mistakes: Mistake[],
  notes: string[]
): (schemas: [JsonObject, string[]][]) => void {
  const weights = new Map<JsonObject, number>()
  const under = new Set<JsonObject>()
  return (schemas) => {
    // Schemas with subtypes come first, so that the subtypes are cut and not the base.
    const kinds = schemas.filter(([it]) => Array.isArray(it.oneOf) || Array.isArray(it.anyOf))
    for (const [schema, path] of kinds) {
      const { oneOf, anyOf } = schema
      if (!Array.isArray(oneOf) || anyOf !== undefined || !hasTwins(documents, oneOf)) continue
      delete schema.oneOf
      schema.anyOf = oneOf
      notes.push(`#/${path.join('/')} has two schemas in oneOf that allow the same: it is read as anyOf.`)
    }
    for (const [schema, path] of [...kinds, ...schemas]) {
      if (weights.has(schema) || weigh(schema) <= mostSchemas) continue
      const text = `this schema is made of more than ${mostSchemas} others by allOf, anyOf and oneOf: checking a value against so many takes too long`
      mistakes.push({ path, text })
      return
    }
  }

  function weigh(schema: JsonObject): number {
    const previous = weights.get(schema)
    if (previous !== undefined) return previous
    under.add(schema)
    let weight = 1
    const target = targetOf(documents, schema)
    if (target && under.has(target)) cut(schema, target)
    else if (target) weight += weigh(target)
    for (const part of partsOf(schema)) weight += weigh(part)
    under.delete(schema)
    weights.set(schema, weight)
    return weight
  }

  function cut(schema: JsonObject, target: JsonObject): void {
    notes.push(
      `${String(schema.$ref).replace(/^[^#]*/, '')} is composed of itself: inside itself, only its own fields are checked.`
    )
    delete schema.$ref
    const fields = Object.entries(target).filter(
      ([key]) => ![...lists, ...single, '$ref', 'discriminator'].includes(key)
    )
    Object.assign(schema, Object.fromEntries(fields), { ...schema })
  }
}

function partsOf(schema: JsonObject): JsonObject[] {
  const parts: JsonObject[] = []
  for (const key of lists) {
    const value = schema[key]
    if (Array.isArray(value)) for (const part of value) if (isObject(part)) parts.push(part)
  }
  for (const key of single) if (isObject(schema[key])) parts.push(schema[key])
  return parts
}

const annotations = new Set(['title', 'description', 'default', 'example', 'examples', 'deprecated'])

/** Whether two schemas allow the same values, as far as their texts show it: no value then matches exactly one of them. */
function hasTwins(documents: Documents, schemas: Json[]): boolean {
  const forms = schemas.map((it) => JSON.stringify(bare(it, 0)))
  return new Set(forms).size < forms.length

  /** A schema without annotations, with the targets of its references. */
  function bare(schema: Json, depth: number): Json {
    if (!isObject(schema)) return schema
    const { $ref, ...others } = schema
    const target = depth < 4 ? targetOf(documents, schema) : undefined
    const whole = target ? { ...target, ...others } : schema
    const inner = (it: Json) => bare(it, depth + 1)
    const fields = Object.entries(whole).flatMap(([key, value]): [string, Json][] => {
      if (annotations.has(key) || key.startsWith('x-')) return []
      const kind = keywords.get(key)?.schemas
      if (kind === 'list') return [[key, (value as Json[]).map(inner)]]
      if (kind === 'names')
        return [[key, Object.fromEntries(Object.entries(value as JsonObject).map(([name, it]) => [name, inner(it)]))]]
      return [[key, kind === 'one' ? inner(value) : value]]
    })
    return Object.fromEntries(fields)
  }
}

function targetOf(documents: Documents, { $ref }: JsonObject): JsonObject | undefined {
  if (typeof $ref !== 'string') return undefined
  try {
    const target = follow(documents, $ref)
    return isObject(target) ? target : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads each schema of a document once. It finds mistakes, and changes the schemas in place to the form of the contracts:
 * references name the document, and no schema is composed of itself.
 */
export class Reader {
  readonly mistakes: Mistake[] = []
  /** Facts worth knowing that are not mistakes. */
  readonly notes: string[] = []
  /** The schemas that others are composed of, besides those that may only be null. */
  readonly parts = new Set<JsonObject>()
  /** The target of references, both as the document writes them and as the contract does. */
  readonly documents: Documents
  private readonly seen = new Set<JsonObject>()
  private readonly targets = new Map<string, Json | undefined>()
  private readonly settle: (schemas: [JsonObject, string[]][]) => void
  private composed: [JsonObject, string[]][] = []
  private waiting: [Json, string[]][] = []

  constructor(
    readonly document: JsonObject,
    readonly key: string
  ) {
    this.documents = { '': document, [key]: document }
    this.settle = createSettle(this.documents, this.mistakes, this.notes)
  }

  wrong(path: readonly string[], text: string): undefined {
    this.mistakes.push({ path: [...path], text })
  }

  read(schema: Json | undefined, path: string[]): void {
    this.readEach([[schema, path]])
  }

  readEach(schemas: [Json | undefined, string[]][]): void {
    for (const [schema, path] of schemas) this.visit(schema, [...path])
    for (let next = this.waiting.pop(); next; next = this.waiting.pop()) this.visit(...next)
    for (const [schema] of this.composed) tagKinds(this.documents, schema)
    if (this.composed.length > 0) this.settle(this.composed)
    this.composed = []
  }

  resolved(value: Json | undefined, path: string[] = []): Json | undefined {
    let part = value
    for (let steps = 0; isObject(part) && part.$ref !== undefined && steps < 10; steps++) {
      const { $ref } = part
      const isRead = typeof $ref === 'string' && $ref.startsWith(`${this.key}#`)
      const target = isRead ? this.targets.get($ref.slice(this.key.length)) : undefined
      if (target !== undefined) {
        part = target
        continue
      }
      const text = isRead ? undefined : referenceMistake(this.document, $ref)
      if (text) return this.wrong([...path, '$ref'], text)
      part = follow(this.documents, $ref as string)
    }
    return part
  }

  /**
   * Returns whether the schema refers to others, or is composed of some that do. All calls share one path, because copies
   * for thousands of schemas take time. It calls only itself: V8 takes longer to optimize functions that call each other
   * than to run them here.
   */
  private visit(schema: Json | undefined, path: string[]): boolean {
    if (typeof schema === 'boolean' || this.seen.has(schema as JsonObject)) return true
    if (!isObject(schema)) {
      this.wrong(path, 'a schema is an object, true or false')
      return false
    }
    const refers = schema.$ref !== undefined
    let isComposed = false
    for (const key in schema) {
      const value = schema[key] as Json
      const keyword = keywords.get(key)
      if (key === '$ref') {
        const text = this.refer(schema, value)
        if (text !== undefined) this.wrong([...path, key], text)
      } else if (identities.has(key)) delete schema[key]
      else if (keyword && !keyword.isGood(value)) {
        this.wrong([...path, key], `${key} ${keyword.text}`)
      } else if (keyword?.schemas) {
        this.seen.add(schema)
        if (keyword.isComposing && !(key === 'anyOf' && isNullable(value as Json[])))
          for (const part of [value].flat()) if (isObject(part)) this.parts.add(part)
        path.push(key)
        let reach = false
        if (keyword.schemas === 'one') reach = this.visit(value, path)
        else {
          for (const name in value as JsonObject) {
            path.push(name)
            if (this.visit((value as JsonObject)[name], path)) reach = true
            path.pop()
          }
        }
        path.pop()
        if (reach && keyword.isComposing) isComposed = true
      }
    }
    if (isComposed || (refers && this.isChain(schema))) this.composed.push([schema, [...path]])
    return refers || isComposed
  }

  /** Finds the target of a reference, and adds the name of the document to the reference. */
  private refer(schema: JsonObject, reference: Json): string | undefined {
    if (typeof reference === 'string' && reference.startsWith(`${this.key}#`)) return undefined
    if (typeof reference !== 'string' || !this.targets.has(reference)) {
      const text = referenceMistake(this.document, reference)
      if (text !== undefined) return text
      const target = follow(this.documents, reference as string)
      this.targets.set(reference as string, target)
      this.waiting.push([target, (reference as string).split('/').slice(1)])
    }
    schema.$ref = this.key + reference
    return undefined
  }

  /** Whether a schema refers to one that is only a reference. */
  private isChain({ $ref }: JsonObject): boolean {
    const target = typeof $ref === 'string' ? this.targets.get($ref.slice(this.key.length)) : undefined
    return isObject(target) && target.$ref !== undefined
  }
}

const isNullable = (anyOf: Json[]) => anyOf.filter((it) => !(isObject(it) && it.type === 'null')).length === 1

function referenceMistake(document: JsonObject, reference: Json): string | undefined {
  if (typeof reference !== 'string') return '$ref must be a string'
  if (!reference.startsWith('#')) {
    return `${reference} points into another file: bundle the document into one, for example with npx @redocly/cli bundle`
  }
  if (!/^#(\/|$)/.test(reference)) {
    return `${reference} is an anchor: use a path such as #/components/schemas/Name`
  }
  try {
    follow({ '': document }, reference)
    return undefined
  } catch {
    return `${reference} cannot be resolved`
  }
}
