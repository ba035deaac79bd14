import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { packageRoot } from '../../src/engine/contract/load.js'
import { ready } from '../cli.js'
import { ask, message } from '../doors/listener/wire.js'
import { isSample, sampled } from '../extent.js'
import { startTestMock } from '../mock.js'
import { type Scene, scenes } from './scenes.js'

const main = join(packageRoot(), 'dist/main.js')
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** The built server, which fails at one place after the other. */
class Server {
  private stderr = ''

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string
  ) {
    child.stderr?.on('data', (chunk) => (this.stderr = (this.stderr + chunk).slice(-5000)))
  }

  static async start(args: string[]): Promise<Server> {
    const child = spawn(
      process.execPath,
      ['--import', join(packageRoot(), 'test/faults/inject.mjs'), main, ...args, '--port', '0', '--log', 'silent'],
      { env: { PATH: process.env.PATH, OWN_CODE: main }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }
    )
    children.push(child)
    return new Server(child, await ready(child))
  }

  /** What it said at its end; nothing while it runs. Connections end before their process does. */
  async ended(): Promise<string | undefined> {
    await Promise.race([once(this.child, 'close'), setTimeout(2000)])
    return this.hasEnded ? this.stderr : undefined
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Where to fail from now on, null: nowhere. Returns the places that were passed since, and the number of failures. */
  async tell(arm: string | null): Promise<{ seen: string[]; fired: number }> {
    if (this.hasEnded) return { seen: [], fired: 1 }
    const answer = once(this.child, 'message')
    this.child.send({ arm }, () => {})
    const [report] = await Promise.race([answer, once(this.child, 'close').then(() => [{ seen: [], fired: 1 }])])
    return report
  }

  /** Another connection. */
  async answersOthers(): Promise<void> {
    expect((await ask(this.url, message('GET /api/get-user-role'))).status).toBe(200)
  }
}

/** Plays a scene until the server ends it, or has answered later requests; then the client breaks off. */
async function play({ url }: Server, { bytes, goesAway }: Scene): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let isOver = false
  socket.on('error', () => {})
  socket.on('data', () => {})
  socket.on('close', () => {
    isOver = true
  })
  for (const part of bytes) await new Promise<void>((resolve) => socket.write(part, () => resolve()))
  for (let turn = 0; turn < (goesAway ? 1 : 2) && !isOver; turn++) await ask(url, message('GET /__mock/health'))
  socket.resetAndDestroy()
}

const service = await startTestMock()
const done = new Set<string>()
/** How often something should fail, and did, in all servers so far. Places that first appear in a later one are rare. */
const total = { tried: 0, fired: 0 }

test.each<[string, () => string[]]>([
  ['serve', () => []],
  [
    'serve --public',
    () => ['--public', '--rate-limit', '1000000', '--max-sandboxes', '1000000', '--control-token', 'secret']
  ],
  ['proxy', () => ['proxy', service.url]]
])('the mock answers others, whatever fails while %s runs', async (_, args) => {
  let server = await Server.start(args())
  const places = new Map<string, Scene>()
  for (const round of [1, 2]) {
    for (const scene of scenes) {
      await server.tell(null)
      await play(server, scene)
      const { seen } = await server.tell(null)
      for (const place of seen) if (round === 2 && !done.has(place)) places.set(place, places.get(place) ?? scene)
    }
  }
  const failures: string[] = []
  for (const place of places.keys()) done.add(place)
  const tried = sampled([...places], 4)
  for (const [place, scene] of tried) {
    try {
      await server.tell(place)
      await play(server, scene).catch(() => {})
      total.fired += Math.min(1, (await server.tell(null)).fired)
      await server.answersOthers()
    } catch (error) {
      failures.push(`${place} in ${scene.name}: ${(await server.ended()) ?? (error as Error).message}`)
      server = await Server.start(args())
    }
  }
  expect(failures).toEqual([])
  total.tried += tried.length
  expect(total.fired).toBeGreaterThan(total.tried / (isSample ? 4 : 2))
})
