import { setTimeout } from 'node:timers/promises'
import { call } from '../mock.js'
import { token } from './engine.js'

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'

export const controlHeaders = { 'x-mock-control-token': token }

let count = 0

/** A sandbox that no other test has. */
export function fresh() {
  count += 1
  const as = `admin~box-${count}`
  return {
    name: `box-${count}`,
    as,
    add: (url: string, description: string) => call(url, 'POST', create, { as, body: { description } }),
    async names(url: string): Promise<string[]> {
      const { body } = await call(url, 'GET', list, { as })
      return body.sessions.map((it: { name: string }) => it.name).sort()
    },
    control: (url: string, method: string, path: string, body?: unknown) =>
      call(url, method, `/__mock${path}`, {
        as,
        headers: { ...controlHeaders },
        ...(body === undefined ? {} : { body })
      }),
    events: (url: string, signal?: AbortSignal) =>
      fetch(`${url}/__mock/events`, {
        headers: { ...controlHeaders, authorization: `Bearer ${as}` },
        ...(signal && { signal })
      }).then(({ body }) => (body as ReadableStream<Uint8Array>).getReader())
  }
}

/** Repeats a call until the answer is not a 503: its process has ended, and the others wait for its lease. */
export async function answered<T>(ask: () => Promise<T & { status: number }>): Promise<T & { status: number }> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
    await setTimeout(20)
  }
}
