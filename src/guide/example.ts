/** Runs the examples of the manual: those of curl are read here, those in JavaScript come as functions. */

interface Mock {
  fetch(url: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

export type Create = (options?: object) => Mock

/** An example in JavaScript. Its `console` is the page's output. */
export type Program = (scope: { createMock: Create; console: { log(...values: unknown[]): void } }) => Promise<void>

/** Runs an example on a fresh mock. `print` gets the output in pieces. */
export async function runExample(example: string | Program, createMock: Create, print: (text: string) => void) {
  const mocks: Mock[] = []
  const create = (options?: object) => {
    const mock = createMock(options)
    mocks.push(mock)
    return mock
  }
  const log = (...values: unknown[]) => print(`${values.map((it) => shown(it)).join(' ')}\n`)
  try {
    if (typeof example === 'string') await runCommands(example, create(), print)
    else await example({ createMock: create, console: { log } })
  } finally {
    for (const mock of mocks) await mock.close()
  }
}

/** A value as JSON. What fits in a line has one. */
function shown(value: unknown, indent = ''): string {
  if (typeof value === 'string' && indent === '') return value
  const line = JSON.stringify(value) ?? String(value)
  if (typeof value !== 'object' || value === null || line.length + indent.length < 76) return line
  const inner = `${indent}  `
  const parts = Object.entries(value).map(([name, it]) =>
    Array.isArray(value) ? shown(it, inner) : `${JSON.stringify(name)}: ${shown(it, inner)}`
  )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

/** Runs lines of curl, and of `printf '…' > file`, whose files curl can upload. */
async function runCommands(text: string, mock: Mock, print: (text: string) => void): Promise<void> {
  const files = new Map<string, string>()
  let isFirst = true
  for (const [command, ...args] of commandsIn(text)) {
    if (command === 'printf') {
      files.set(args[2] as string, (args[0] as string).replaceAll('\\n', '\n'))
      continue
    }
    if (command !== 'curl') throw new Error(`${command} does not run in a page.`)
    if (!isFirst) print('\n')
    isFirst = false
    const { url, showsHeaders, ...init } = requestOf(args, files)
    const response = await mock.fetch(url, init).catch(() => print('(no answer)\n'))
    if (!response) continue
    print(`${response.status} ${response.statusText}\n`)
    if (showsHeaders) print(`${[...response.headers].map(([name, value]) => `${name}: ${value}\n`).join('')}\n`)
    const isStream = !response.headers.has('content-length')
    if (isStream) await printStream(response, print)
    else print(`${readable(await response.text())}\n`)
  }
}

async function printStream(response: Response, print: (text: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream() as never).getReader()
  try {
    for (let it = await reader?.read(); it && !it.done; it = await reader?.read()) print(String(it.value))
  } catch {
    print('(the connection breaks)\n')
  }
}

function readable(text: string): string {
  try {
    return shown(JSON.parse(text))
  } catch {
    return text
  }
}

/** The words of each command, as a shell reads them. */
function commandsIn(text: string): string[][] {
  const lines = text.replace(/\\\n\s*/g, ' ').split(/\n(?=curl|printf|#)/)
  return lines
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) =>
      [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
        word.replace(/'([^']*)'|"([^"]*)"/g, (_, a, b) => a ?? b)
      )
    )
}

function requestOf(args: string[], files: Map<string, string>) {
  const headers = new Headers()
  const form = new FormData()
  let [url, method, body, showsHeaders, isForm] = ['', '', undefined as string | undefined, false, false]
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '-X') method = rest.shift() as string
    else if (arg === '-H') headers.set(...((rest.shift() ?? '').split(/:\s*/, 2) as [string, string]))
    else if (arg === '--json') {
      body = rest.shift()
      headers.set('content-type', 'application/json')
    } else if (arg === '-F') {
      const [name = '', value = ''] = rest.shift()?.split('=') ?? []
      const file = value.replace(/^@/, '')
      form.append(name, new File([files.get(file) ?? ''], file))
      isForm = true
    } else if (arg === '-i') showsHeaders = true
    else if (!arg.startsWith('-')) url = arg
  }
  const sent = isForm ? form : body
  return { url, method: method || (sent === undefined ? 'GET' : 'POST'), headers, body: sent, showsHeaders }
}
