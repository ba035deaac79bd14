import type { Call, FormPart } from './request.js'

/**
 * The command that repeats a request. Secrets appear as shell variables: `$TOKEN`, `$USER_TOKEN`, `$HEADER_<NAME>`.
 * `authorization` is the header to show, in which `$` marks a variable, or null for none.
 */
export function curlOf(url: string, call: Call, authorization: string | null, headers: string[]): string {
  const words = ['curl', '-sS', '-i']
  if (call.method === 'HEAD') words.push('-I')
  else if (call.method !== 'GET') words.push('-X', call.method)
  words.push(quote(url.replace(/\/$/, '') + call.target))
  if (authorization !== null) words.push('-H', shown(`Authorization: ${authorization}`))
  for (const name of headers) {
    words.push('-H', shown(`${name}: $HEADER_${name.toUpperCase().replace(/\W/g, '_')}`))
  }
  if (call.parts) for (const part of call.parts) words.push('-F', quote(formField(part)))
  else if (call.body) {
    words.push('-H', quote(`Content-Type:${call.headers['Content-Type'] ? ` ${call.headers['Content-Type']}` : ''}`))
    words.push('--data-binary', quote(call.body.toString('utf8')))
  }
  return words.join(' ')
}

/** Small files are written out as text, because reading one from standard input would hide its bytes. */
function formField({ name, value, file }: FormPart): string {
  if (!file) return `${name}=${value}`
  const text = file.bytes.toString('utf8').replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `${name}="${text}";filename="${file.name}";type=${file.type}`
}

/** Adds single quotes if the text has characters that a shell interprets. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Adds double quotes if the text has a variable. */
function shown(text: string): string {
  return text.includes('$') ? `"${text}"` : quote(text)
}
