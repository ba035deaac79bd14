import { call } from '../client.js'

/** Does something in a sandbox that is dropped afterwards: a copy of another one, or a fresh one. */
export async function inThrowAway<T>(act: (sandbox: string) => Promise<T>, from?: string): Promise<T> {
  const name = `throw-away-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`
  await call('makeSandbox', { body: { name, ...(from !== undefined && { from }) } })
  try {
    return await act(name)
  } finally {
    await call('dropSandbox', { path: { name } })
  }
}
