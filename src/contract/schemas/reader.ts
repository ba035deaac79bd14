import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { keywords } from './keywords.js'
import type { Mistake } from './mistake.js'
import { identities } from './schemas.js'
import { createSettle } from './settled.js'

/**
 * Reads each schema of a document once. It finds mistakes, and changes the schemas in place to the form of the contracts:
 * references name the document, and no schema is composed of itself.
 */
export class Reader {
  readonly mistakes: Mistake[] = []
  /** Facts worth knowing that are not mistakes. */
  readonly notes: string[] = []
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

  /** Reads a schema and the schemas that it refers to. */
  read(schema: Json | undefined, path: string[]): void {
    this.readEach([[schema, path]])
  }

  readEach(schemas: [Json | undefined, string[]][]): void {
    for (const [schema, path] of schemas) this.visit(schema, [...path])
    for (let next = this.waiting.pop(); next; next = this.waiting.pop()) this.visit(...next)
    if (this.composed.length > 0) this.settle(this.composed)
    this.composed = []
  }

  /** A part of the document, with its reference resolved. */
  resolved(value: Json | undefined, path: string[] = []): Json | undefined {
    let part = value
    for (let steps = 0; isObject(part) && part.$ref !== undefined && steps < 10; steps++) {
      const { $ref } = part
      const isOwn = typeof $ref === 'string' && $ref.startsWith(`${this.key}#`)
      const text = isOwn ? undefined : referenceMistake(this.document, $ref)
      if (text) {
        this.mistakes.push({ path: [...path, '$ref'], text })
        return undefined
      }
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
      this.mistakes.push({ path: [...path], text: 'a schema is an object, true or false' })
      return false
    }
    const refers = schema.$ref !== undefined
    let isComposed = false
    for (const key in schema) {
      const value = schema[key] as Json
      const keyword = keywords.get(key)
      if (key === '$ref') {
        const text = this.refer(schema, value)
        if (text !== undefined) this.mistakes.push({ path: [...path, key], text })
      } else if (identities.has(key)) delete schema[key]
      else if (keyword && !keyword.isGood(value)) {
        this.mistakes.push({ path: [...path, key], text: `${key} ${keyword.text}` })
      } else if (keyword?.holds) {
        this.seen.add(schema)
        path.push(key)
        let reach = false
        if (keyword.holds === 'one') reach = this.visit(value, path)
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

  /** Whether a schema refers to one that only refers on. */
  private isChain({ $ref }: JsonObject): boolean {
    const target = typeof $ref === 'string' ? this.targets.get($ref.slice(this.key.length)) : undefined
    return isObject(target) && target.$ref !== undefined
  }
}

/** Why a reference is broken, or undefined if it is not. */
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
