import { base } from '../client.js'
import { jsonIn } from '../json/text.js'
import { paramsIn } from '../operations.js'
import { bodyExpression, formLines, literal } from './literal.js'
import { headersOf, type Outgoing } from './outgoing.js'

/** JavaScript that sends a request with fetch. */
export function asFetch(outgoing: Outgoing, sandbox: string): string {
  const { method, url, body } = outgoing
  const form = formLines(outgoing)
  const options = [`method: ${literal(method)}`, `headers: ${literal(headersOf(outgoing, sandbox), 1)}`]
  if (body) options.push(`body: ${bodyExpression(body, 1)}`)
  return [
    ...(form.some((line) => line.includes('readFile')) ? ["import { readFile } from 'node:fs/promises'", ''] : []),
    ...form,
    `const response = await fetch(${literal(base + url)}, {`,
    `  ${options.join(',\n  ')}`,
    '})',
    'console.log(response.status, await response.text())',
    ''
  ].join('\n')
}

/** TypeScript that sends a request with openapi-fetch, whose types come from the mock's OpenAPI document. */
export function asOpenapiFetch(outgoing: Outgoing, template: string, sandbox: string): string {
  const { method, url, body } = outgoing
  const [, search = ''] = url.split(/\?(.*)/s)
  const params = Object.entries(paramsIn({ path: template }, url)).map(([name, text]) => [name, plain(text)])
  const query: Record<string, unknown> = {}
  for (const [name, text] of new URLSearchParams(search)) {
    query[name] = name in query ? [query[name], plain(text)].flat() : plain(text)
  }
  const input = {
    ...(params.length > 0 && { path: Object.fromEntries(params) }),
    ...(Object.keys(query).length > 0 && { query })
  }
  const { 'content-type': type, ...headers } = headersOf(outgoing, sandbox)
  const isJson = type === undefined || /json/i.test(type)
  const options = Object.keys(input).length > 0 ? [`params: ${literal(input, 1)}`] : []
  if (body && 'text' in body && isJson)
    options.push(`body: ${body.text.trim() === '' ? '{}' : literal(jsonIn(body.text), 1)}`)
  else if (body) options.push('body: form as never', 'bodySerializer: () => form')
  return [
    `// npx openapi-typescript ${base}/openapi.json -o api.d.ts`,
    "import createClient from 'openapi-fetch'",
    "import type { paths } from './api.js'",
    '',
    ...formLines(outgoing),
    `const client = createClient<paths>({ baseUrl: ${literal(base)}, headers: ${literal(headers)} })`,
    `const { data, error, response } = await client.${method}(${literal(template)}${options.length > 0 ? ', {' : ')'}`,
    ...(options.length > 0 ? [`  ${options.join(',\n  ')}`, '})'] : []),
    'console.log(response.status, data ?? error)',
    ''
  ].join('\n')
}

/** A number, if the text is one. */
function plain(text: string): string | number {
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
}
