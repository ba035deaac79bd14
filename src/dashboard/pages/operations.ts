import { call } from './client.js'

/** A documented outcome that can be used as the answer. */
interface AnswerOption {
  label: string
  status: number
  body: unknown
}

/** What the form knows about an operation. */
export interface OperationInfo {
  id: string
  code: string
  method: string
  path: string
  /** The names of its path parameters. */
  params: string[]
  outcomes: AnswerOption[]
}

interface Documented {
  operationId: string
  description?: string
  responses: Record<
    string,
    { content?: Record<string, { example?: unknown; examples?: Record<string, { value?: unknown }> }> }
  >
}

/** All operations, the platform's before the user's own, with the outcomes that have examples in the OpenAPI document. */
export async function readOperations(): Promise<OperationInfo[]> {
  const { paths } = (await call('getOpenapi')) as { paths: Record<string, Record<string, Documented>> }
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, description = '', responses }]) => ({
      id: operationId,
      code: /^\*(E\d+) of /m.exec(description)?.[1] ?? '',
      method: method.toUpperCase(),
      path,
      params: [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] as string),
      outcomes: outcomesOf(responses)
    }))
  )
  return [...all.filter(({ code }) => code !== ''), ...all.filter(({ code }) => code === '')]
}

function outcomesOf(responses: Documented['responses']): AnswerOption[] {
  // The user's own documents also have 4XX and default.
  const numbered = Object.entries(responses).filter(([code]) => /^\d+$/.test(code))
  return numbered.flatMap(([code, { content = {} }]) =>
    Object.values(content).flatMap(
      ({ example, examples = example === undefined ? {} : { example: { value: example } } }) =>
        Object.entries(examples).map(([name, { value }]) => ({
          label: `${code} ${name}`,
          status: Number(code),
          body: value
        }))
    )
  )
}

/** The values of the path parameters in a request's address. */
export function paramsIn({ path }: { path: string }, url: string): Record<string, string> {
  const parts = (url.split('?')[0] as string).split('/')
  const entries = path.split('/').flatMap((part, at) => {
    const name = /^\{([^{}]+)\}$/.exec(part)?.[1]
    return name === undefined ? [] : [[name, decodeURIComponent(parts[at] ?? '')]]
  })
  return Object.fromEntries(entries)
}
