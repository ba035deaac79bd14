import { base, call, Gone, hasControl, latestExchange } from '../client.js'
import { jsonIn } from '../json/values.js'
import { paramsIn } from '../operations.js'
import { exchangeHref, go, route } from '../route.js'
import { bodyExpression, type FormPart, headersOf, literal, type Outgoing } from './outgoing.js'

/** The answer. The status is 0 if a fault broke the connection. */
export interface ReceivedAnswer {
  status: number
  id: string | undefined
  text: string
  /** Milliseconds, as the page saw it. */
  took: number
}

/** Sends a request to the mock. Rejects with Gone if the mock does not answer at all. */
export async function sendRequest(outgoing: Outgoing, sandbox: string): Promise<ReceivedAnswer> {
  const { method, url, user } = outgoing
  const latest = sandbox === route.peek().sandbox ? latestExchange : 0
  const begun = performance.now()
  // Cookies of the browser may name another sandbox, or a user although none is wanted. In a public mock without the control
  // API, they name the sandbox of the visitor.
  const headers = { ...headersOf(outgoing, sandbox), ...(hasControl.value && { 'x-mock-sandbox': sandbox }) }
  const credentials = user === null ? 'omit' : 'same-origin'
  const sent: RequestInit = { method, headers, credentials, redirect: 'manual', cache: 'no-store' }
  const body = bodyOf(outgoing)
  if (body !== undefined && !['GET', 'HEAD'].includes(method)) sent.body = body
  try {
    const response = await fetch(base + url, sent)
    const text = await response.text()
    const id = response.headers.get('x-mock-request-id') ?? (await newestOf(outgoing, sandbox, latest))?.id
    return { status: response.status, id, text, took: performance.now() - begun }
  } catch {
    const took = performance.now() - begun
    const cut = await newestOf(outgoing, sandbox, latest)
    if (!cut && hasControl.value) throw new Gone()
    return { status: 0, id: cut?.id, text: '', took }
  }
}

export async function resend(outgoing: Outgoing, how: string): Promise<string> {
  const { status, id } = await sendRequest(outgoing, route.peek().sandbox)
  if (id !== undefined) go(exchangeHref(id))
  return `Sent ${how}: ${status}.`
}

function bodyOf({ body }: Outgoing): string | FormData | undefined {
  if (!body || 'text' in body) return body?.text
  const form = new FormData()
  for (const { name, text = '', file } of body.form) form.append(name, file instanceof File ? file : text)
  return form
}

/** The latest exchange of a request whose answer names none. Undefined also without the control API. */
async function newestOf({ method }: Outgoing, sandbox: string, since: number) {
  if (!hasControl.value) return undefined
  const { requests } = await call('listRequests', { query: { since: `r${since}`, limit: 20 } }, sandbox)
  return requests.find((it) => it.method === method)
}

export function asCurl(outgoing: Outgoing, sandbox: string): string {
  const { method, url, body } = outgoing
  const parts = [`curl -X ${method} ${quoted(base + url)}`]
  for (const [name, value] of Object.entries(headersOf(outgoing, sandbox)))
    parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body && 'text' in body) parts.push(`--data-raw ${quoted(body.text)}`)
  if (body && 'form' in body) {
    for (const part of body.form) {
      const file = fileNameOf(part)
      const [option, value] = file === undefined ? ['--form-string', part.text ?? ''] : ['-F', `@${file}`]
      parts.push(`${option} ${quoted(`${part.name}=${value}`)}`)
    }
  }
  return parts.join(' \\\n  ')
}

function fileNameOf({ file }: FormPart): string | undefined {
  return typeof file === 'string' ? file : file?.name
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function asFetch(outgoing: Outgoing, sandbox: string): string {
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
function asOpenapiFetch(outgoing: Outgoing, sandbox: string, template: string): string {
  const { method, url, body } = outgoing
  const [, search = ''] = url.split(/\?(.*)/s)
  const params = Object.entries(paramsIn(template, url)).map(([name, text]) => [name, plain(text)])
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

/** The lines that create a form. Files must be read first. */
function formLines({ body }: Outgoing): string[] {
  if (!body || !('form' in body)) return []
  const lines = body.form.map((part) => {
    const file = fileNameOf(part)
    if (file === undefined) return `form.append(${literal(part.name)}, ${literal(part.text ?? '')})`
    return `form.append(${literal(part.name)}, new Blob([await readFile(${literal(file)})]), ${literal(file)})`
  })
  return ['const form = new FormData()', ...lines]
}

function plain(text: string): string | number {
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
}

function asPython(outgoing: Outgoing, sandbox: string): string {
  const { method, url, body } = outgoing
  const { 'content-type': type, ...others } = headersOf(outgoing, sandbox)
  const isJson =
    body && 'text' in body && /^application\/json$/i.test(type ?? '') && typeof jsonIn(body.text) !== 'string'
  const headers = type === undefined || isJson ? others : { ...others, 'content-type': type }
  const options = [pythonLiteral(method), pythonLiteral(base + url), `headers=${pythonLiteral(headers)}`]
  if (body && 'text' in body) {
    options.push(isJson ? `json=${pythonLiteral(jsonIn(body.text))}` : `data=${pythonLiteral(body.text)}.encode()`)
  } else if (body) {
    const parts = body.form.map((part) => {
      const file = fileNameOf(part)
      const [name, value] = [pythonLiteral(part.name), pythonLiteral(file ?? part.text ?? '')]
      return `(${name}, ${file === undefined ? `(None, ${value})` : `(${value}, open(${value}, "rb"))`})`
    })
    options.push(`files=[\n        ${parts.join(',\n        ')}\n    ]`)
  }
  return [
    'import requests',
    '',
    `response = requests.request(\n    ${options.join(',\n    ')}\n)`,
    'print(response.status_code, response.text)',
    ''
  ].join('\n')
}

/** JSON as Python, which differs in three words. */
function pythonLiteral(value: unknown): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' }
  const text = JSON.stringify(value, undefined, 4).replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"?|true|false|null/gs,
    (it) => words[it] ?? it
  )
  return text.replaceAll('\n', '\n    ')
}

function asPlaywright(outgoing: Outgoing, sandbox: string): string {
  const { method, url, body } = outgoing
  const form = formLines(outgoing)
  const options = [`method: ${literal(method)}`, `headers: ${literal(headersOf(outgoing, sandbox), 2)}`]
  if (body && 'text' in body) options.push(`data: ${literal(body.text)}`)
  else if (body) options.push('multipart: form')
  return [
    ...(form.some((line) => line.includes('readFile')) ? ["import { readFile } from 'node:fs/promises'"] : []),
    "import { expect, test } from '@playwright/test'",
    '',
    `test(${literal(`${method} ${url}`)}, async ({ request }) => {`,
    ...form.map((line) => `  ${line}`),
    `  const response = await request.fetch(${literal(base + url)}, {`,
    `    ${options.join(',\n    ')}`,
    '  })',
    '  await expect(response).toBeOK()',
    '})',
    ''
  ].join('\n')
}

/** Code that sends a request, by the name of its language. openapi-fetch needs the path of the operation too. */
export const samples: Record<string, (outgoing: Outgoing, sandbox: string, path: string) => string> = {
  curl: asCurl,
  fetch: asFetch,
  'openapi-fetch': asOpenapiFetch,
  Python: asPython,
  Playwright: asPlaywright
}
