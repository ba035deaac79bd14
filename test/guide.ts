import { createMock } from '../src/doors/program/mock.js'
import { type Create, type Program, runExample } from '../src/guide/example.js'

export interface Example {
  code: string
  language: string
  /** The output that the manual shows; `…` matches any text. */
  output: string | undefined
}

/** The examples of a document that its page can run. */
export function examplesIn(document: string): Example[] {
  const blocks = document.matchAll(/^```(sh|js) run\n([\s\S]*?)^```\n(?:\n```output\n([\s\S]*?)^```\n)?/gm)
  return [...blocks].map(([, language = '', code = '', output]) => ({ language, code, output }))
}

/** Runs an example in this process, and returns its output. */
export async function outputOf({ language, code }: Example): Promise<string> {
  let output = ''
  const example = language === 'sh' ? code : programOf(code)
  await runExample(example, createMock as Create, (text) => {
    output += text
  })
  return output
}

function programOf(code: string): Program {
  const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...args: unknown[]) => Promise<void>
  const body = code.replace("import { createMock } from 'knowledge-chat-mock'\n", '')
  const program = new AsyncFunction('createMock', 'console', body)
  return ({ createMock, console }) => program(createMock, console)
}

/** The first line that an output should have and does not, in order. Undefined: it has all. */
export function missingIn(output: string, wanted: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim())
  let at = 0
  for (const line of wanted.trim().split('\n')) {
    if (line.trim() === '…') continue
    const parts = line
      .trim()
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const pattern = new RegExp(`^${parts.join('.*')}$`)
    const found = lines.findIndex((it, index) => index >= at && pattern.test(it))
    if (found < 0) return line
    at = found + 1
  }
  return undefined
}
