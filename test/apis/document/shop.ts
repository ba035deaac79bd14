import { join } from 'node:path'

/** The document of a shop, written for these tests. */
export const shop = join(import.meta.dirname, 'shop.yaml')

/** A small document, with these paths and schemas. */
export const documentOf = (paths: object, schemas: object = {}, others: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Small', version: '1' },
  paths,
  components: { schemas },
  ...others
})

export const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const json = (schema: object) => ({ content: { 'application/json': { schema } } })
/** An operation that answers with a schema, and one that takes one. */
export const gives = (schema: object, status = 200) => ({
  responses: { [status]: { description: 'ok', ...json(schema) } }
})
export const takes = (body: object, schema: object, status = 201) => ({
  requestBody: json(body),
  ...gives(schema, status)
})
export const listOf = (items: object) => ({ type: 'array', items })
export const objectOf = (properties: object, required: string[] = []) => ({ type: 'object', required, properties })
export const text = { type: 'string' }
export const integer = { type: 'integer' }
