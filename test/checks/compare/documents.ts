import { isObject, type Json, type JsonObject } from '../../../src/engine/contract/load.js'
import type { Change } from '../../../src/tools/compare/change.js'
import { compareDocuments } from '../../../src/tools/compare/compare.js'
import { openApiDocument } from '../../../src/tools/compare/document.js'
import { documentUnder } from '../../contract/document.js'

// biome-ignore lint/suspicious/noExplicitAny: the edits below reach deep into a document
export type Document = any
export type Edit = (document: Document) => void

export const documentOf = (profile: 'documented' | 'observed' = 'documented'): Document => documentUnder(profile)

export const persona = '/api/persona/{persona_id}'
export const search = '/api/chat/search'
export const create = '/api/chat/create-chat-session'
export const session = '/api/chat/delete-chat-session/{session_id}'
export const details = '/api/user/projects/{project_id}/details'
export const status = '/api/manage/admin/connector/indexing-status'
export const upload = '/api/manage/admin/connector/file/upload'
export const instructions = '/api/user/projects/{project_id}/instructions'
export const projects = '/api/user/projects/'
export const credential = '/api/manage/credential/{credential_id}'
export const openUrls = '/api/web-search/open-urls'

/** Edits change schemas under these choices. */
const choices: [string, string][] = [
  ['requests.null', 'observed'],
  ['responses.null', 'null'],
  ['limits.text', 'none']
]
/** The part of the document that edits change. */
export const base = JSON.stringify(documentWith(documentUnder('documented', choices)))
export const fresh = (): Document => JSON.parse(base)

function documentWith({ paths, ...document }: Document): Document {
  const edited = [
    persona,
    search,
    create,
    session,
    details,
    status,
    upload,
    instructions,
    projects,
    openUrls,
    credential
  ]
  return { ...document, paths: Object.fromEntries(Object.entries(paths).filter(([path]) => edited.includes(path))) }
}

export function compare(old: Document, now: Document): Change[] {
  return compareDocuments(openApiDocument('old', old), openApiDocument('new', now))
}

export function edited(edit: Edit, document = fresh()): Document {
  edit(document)
  return document
}

export const body = (document: Document, path: string, method = 'post', type = 'application/json') =>
  document.paths[path][method].requestBody.content[type].schema
export const reply = (document: Document, path: string, method = 'get') =>
  document.paths[path][method].responses[200].content['application/json'].schema
export const schema = (document: Document, name: string) => document.components.schemas[name]
export const parameter = (document: Document, path: string, name: string, method = 'get') =>
  document.paths[path][method].parameters.find((it: { name: string }) => it.name === name)
export const without = (list: unknown[], value: unknown) => list.filter((it) => it !== value)

/** A document whose only operation accepts a schema and answers with it. */
export function documentOfSchema(
  schema: JsonObject,
  schemas: JsonObject = { Owner: { type: 'object', required: ['id'] } }
): Document {
  const content = { 'application/json': { schema } }
  const operation = { requestBody: { required: true, content }, responses: { 200: { description: 'Same', content } } }
  return { openapi: '3.1.0', paths: { '/things': { post: operation } }, components: { schemas } }
}

/** The same with every object's fields, and every list without an order, reversed. */
export function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned).reverse()
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, turned(item)] as const)
      .reverse()
  )
}
