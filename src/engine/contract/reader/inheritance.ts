import { isObject, type Json, type JsonObject } from '../load.js'
import { freeName } from '../openapi/document.js'

const prefix = '#/components/schemas/'
const nameIn = (reference: Json | undefined) =>
  typeof reference === 'string' && reference.startsWith(prefix) ? reference.slice(prefix.length) : String(reference)

/**
 * Makes bases with a `discriminator` choices of their children. Generators of .NET write a base with only the field, and children
 * with `allOf` the base: a value of the base is then one of a child.
 */
export function withChildren(document: JsonObject): JsonObject {
  const { components } = document
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {}
  const declared = Object.entries(schemas).flatMap(([name, it]): Base[] => {
    const base = isObject(it) && isObject(it.discriminator) ? baseOf(schemas, name, it, it.discriminator) : undefined
    return base ? [base] : []
  })
  if (declared.length === 0) return document
  // A child with children is a base, too.
  const inherited = declared.flatMap(({ values, ...base }) =>
    [...values.keys()].flatMap((name): Base[] => {
      const below = [...values].filter(([it]) => it === name || isBelow(schemas, it, name))
      return below.length > 1 && name !== base.name ? [{ ...base, name, values: new Map(below) }] : []
    })
  )
  const bases = new Map([...inherited, ...declared].map((it) => [it.name, it]))
  const allNames = new Set(Object.keys(schemas))
  const nameFor = (name: string) => {
    const free = freeName(allNames, (count) => `${name}${count === 1 ? '' : count}`)
    allNames.add(free)
    return free
  }
  /** The names of the fields of a base, and of a value that is not a child of it. */
  const names = new Map(
    [...bases.keys()].map((it) => [it, { fields: nameFor(`${it}Fields`), itself: nameFor(`${it}Itself`) }])
  )
  const result: JsonObject = { ...schemas }
  for (const [name, it] of Object.entries(schemas)) {
    if (!isObject(it)) continue
    const parts = partsOf(it).map((part): Json => {
      const other = isObject(part) ? nameIn(part.$ref) : ''
      return bases.get(other)?.values.has(name) ? { $ref: prefix + names.get(other)?.fields } : part
    })
    const { discriminator: _, ...plain } = { ...it, ...(parts.length > 0 && { allOf: parts }) } as JsonObject
    const own = names.get(name)
    if (own) Object.assign(result, { [own.fields]: plain, [own.itself]: { allOf: [{ $ref: prefix + own.fields }] } })
    else if (declared.some(({ values }) => values.has(name))) result[name] = plain
  }
  for (const { name, field, values } of bases.values()) {
    const { description } = schemas[name] as JsonObject
    const refer = (it: string) => prefix + (names.get(it)?.itself ?? it)
    const mapping = [...values].flatMap(([child, tags]) => tags.map((it) => [it, refer(child)]))
    result[name] = {
      ...(description !== undefined && { description }),
      oneOf: [...values.keys()].map((it) => ({ $ref: refer(it) })),
      discriminator: { propertyName: field, mapping: Object.fromEntries(mapping) }
    }
  }
  return { ...document, components: { ...(components as JsonObject), schemas: result } }
}

interface Base {
  name: string
  field: string
  /** The values of the field by the names of the children, and of the base if it may be a value itself. */
  values: Map<string, string[]>
}

function baseOf(schemas: JsonObject, name: string, schema: JsonObject, discriminator: JsonObject): Base | undefined {
  const { propertyName: field, mapping } = discriminator
  if (typeof field !== 'string' || schema.oneOf !== undefined || schema.anyOf !== undefined) return undefined
  const mapped = Object.entries(isObject(mapping) ? mapping : {}).map(([tag, it]) => [tag, nameIn(it)] as const)
  const children = Object.keys(schemas).filter((it) => isBelow(schemas, it, name))
  const subtypes = mapped.length > 0 ? children.filter((it) => mapped.some(([, other]) => other === it)) : children
  if (subtypes.length === 0) return undefined
  const isValue = mapped.length === 0 || mapped.some(([, other]) => other === name)
  const tagsOf = (child: string) => mapped.flatMap(([tag, other]) => (other === child ? [tag] : []))
  const all = [...subtypes, ...(isValue ? [name] : [])].map((it): [string, string[]] => [
    it,
    mapped.length > 0 ? tagsOf(it) : [it]
  ])
  return { name, field, values: new Map(all) }
}

const partsOf = (schema: Json | undefined): Json[] =>
  isObject(schema) && Array.isArray(schema.allOf) ? schema.allOf : []

/** Whether a schema is composed of another one, at any depth. */
function isBelow(schemas: JsonObject, name: string, other: string, above: readonly string[] = []): boolean {
  if (above.includes(name)) return false
  return partsOf(schemas[name]).some((it) => {
    const part = isObject(it) && it.$ref !== undefined ? nameIn(it.$ref) : undefined
    return part !== undefined && (part === other || isBelow(schemas, part, other, [...above, name]))
  })
}
