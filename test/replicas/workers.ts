import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ready, start } from '../cli.js'
import { call, testNow } from '../mock.js'

interface Node {
  node: string
  address: string
  pid: number
}

/** A running `serve --workers`. */
export interface Workers {
  url: string
  primary: ChildProcess
  /** What was written to stderr. */
  said(): string
  nodes(): Promise<Node[]>
  stop(): Promise<number | null>
}

const children = new Set<ChildProcess>()
const folders: string[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export async function startWorkers(count: number, ...args: string[]): Promise<Workers> {
  const options = ['--port', '0', '--now', testNow, '--fixtures', 'empty', '--workers', String(count)]
  const primary = start(['serve', ...options, ...args])
  children.add(primary)
  let said = ''
  primary.stderr?.on('data', (chunk) => (said += chunk))
  const url = await ready(primary)
  return {
    url,
    primary,
    said: () => said,
    nodes: async () => (await call(url, 'GET', '/__mock/cluster')).body.nodes,
    async stop() {
      const ended = once(primary, 'exit')
      primary.kill('SIGTERM')
      const [code] = await ended
      return code
    }
  }
}

/** Waits until a process is gone. */
export async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await setTimeout(10)
  }
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-workers-'))
  folders.push(folder)
  return folder
}

const create = '/api/chat/create-chat-session'

/** Adds a session to a sandbox. */
export const add = (url: string, sandbox: string, description: string) =>
  call(url, 'POST', create, { as: `admin~${sandbox}`, body: { description } })

/** The names of its sessions. */
export async function names(url: string, sandbox: string): Promise<string[]> {
  const { body } = await call(url, 'GET', '/api/chat/get-user-chat-sessions', { as: `admin~${sandbox}` })
  return body.sessions.map(({ name }: { name: string }) => name).sort()
}

export const control = (url: string, sandbox: string, method: string, path: string, body?: unknown) =>
  call(url, method, `/__mock${path}`, { headers: { 'X-Mock-Sandbox': sandbox }, ...(body !== undefined && { body }) })

/** Asks again where a connection had ended with its worker. */
export async function surely<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if ((error as Error).message !== 'fetch failed') throw error
    }
  }
}
