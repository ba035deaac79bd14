import type { JournalEntry, Suggestion } from '../../contract/types.gen.js'

/** Methods that overrides and OpenAPI documents support. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Overrides cannot have a longer path. */
const longestPath = 2000

/** The highest number of query parameters in a document. */
const mostParameters = 20

type MissedRequest = Pick<JournalEntry, 'method' | 'url' | 'refusal' | 'forwarded'>

/** Ways to make the mock answer an unknown request, the quickest first. `taken`: ids of operations. */
export function suggestionsFor(asked: MissedRequest, taken: ReadonlyMap<string, unknown>): Suggestion[] {
  const { url, refusal, forwarded = false } = asked
  const [path = '', search = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  const fallback: Suggestion = { do: 'fallback', text: 'Let a service answer unknown paths: --fallback <url>.' }
  const others = forwarded || refusal === 'wrong-method' ? [] : [fallback]
  if (!/^\/[!-~]*$/.test(path) || path.length > longestPath || !methods.includes(asked.method)) return others
  const template = templateOf(path)
  const method = asked.method as NonNullable<Suggestion['override']>['method']
  const override = { method, path: template.path, status: 200, body: {} }
  return [
    {
      do: 'override',
      text: 'Answer it: POST this to /__mock/overrides, or add it to the file of --overrides.',
      override
    },
    {
      do: 'operation',
      text: 'Serve it: add this to an OpenAPI document for --with.',
      openapi: documentOf(asked.method, template, search, taken)
    },
    ...others
  ]
}

interface Template {
  path: string
  params: { name: string; type: 'integer' | 'string' }[]
  words: string[]
}

const identifier = /^(\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|(?=.*\d)[\w-]{20,})$/i

/** The path with parameters for segments that look like ids: /api/notes/7 becomes /api/notes/{note_id}. */
function templateOf(path: string): Template {
  const params: Template['params'] = []
  const words: string[] = []
  const segments = path.split('/').map((segment, at, all) => {
    if (!identifier.test(segment) && !/[{}]/.test(segment)) {
      words.push(...segment.split(/[^A-Za-z0-9]+/).filter((word) => word !== ''))
      return segment
    }
    const before = (all[at - 1] ?? '').replace(/[^A-Za-z0-9]+/g, '_').replace(/s$/, '')
    const wanted = before === '' ? 'id' : `${before}_id`
    const name = params.some((it) => it.name === wanted) ? `${wanted}_${params.length + 1}` : wanted
    params.push({ name, type: /^\d{1,15}$/.test(segment) ? 'integer' : 'string' })
    return `{${name}}`
  })
  return { path: segments.join('/'), params, words }
}

function documentOf(
  method: string,
  template: Template,
  search: string,
  taken: ReadonlyMap<string, unknown>
): Record<string, unknown> {
  const query = [...new Set(new URLSearchParams(search).keys())].slice(0, mostParameters)
  const parameters = [
    ...template.params.map(({ name, type }) => ({ name, in: 'path', required: true, schema: { type } })),
    ...query.map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
  ]
  const json = { content: { 'application/json': { schema: { type: 'object' } } } }
  const example = { content: { 'application/json': { schema: { type: 'object' }, example: {} } } }
  const operation = {
    operationId: idOf(method, template, taken),
    ...(parameters.length > 0 && { parameters }),
    ...(['POST', 'PUT', 'PATCH'].includes(method) && { requestBody: json }),
    responses: { 200: { description: 'Done', ...example } }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Own endpoints', version: '1.0.0' },
    paths: { [template.path]: { [method.toLowerCase()]: operation } }
  }
}

function idOf(method: string, { words, params }: Template, taken: ReadonlyMap<string, unknown>): string {
  const named = words[0] === 'api' ? words.slice(1) : words
  const all = [...named, ...(params.length > 0 ? ['by', ...params.flatMap(({ name }) => name.split('_'))] : [])]
  const id = method.toLowerCase() + all.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  return taken.has(id) ? `${id}Own` : id
}
