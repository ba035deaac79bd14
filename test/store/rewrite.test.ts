import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { knowledgeChat } from '../../src/apis/knowledge-chat/api.js'
import { Edge } from '../../src/engine/keep/edge.js'
import { Folder } from '../../src/engine/keep/folder.js'
import { readLog } from '../../src/engine/keep/log-file.js'
import type { StateLog } from '../../src/engine/keep/state-log.js'
import { Clock } from '../../src/engine/sandbox/clock.js'
import { Ids } from '../../src/engine/sandbox/ids.js'
import { Sandbox } from '../../src/engine/sandbox/sandbox.js'
import { Transaction } from '../../src/engine/sandbox/transaction.js'
import { collectionOf } from '../../src/engine/store/rows.js'
import { createStore } from '../stores.js'
import { full, interceptWrites, log, newFolder } from './kept.js'

const limits = { entries: 10, bytes: 1000 }

/** An edge over a folder, and what rewrites its log. */
async function openEdge(folder: string, small?: number) {
  const edge = await Edge.keptIn(() => Folder.open(folder, () => {}), {
    api: knowledgeChat,
    sync: 'never',
    journal: limits,
    version: '1',
    contract: 'a',
    choices: (own) => own,
    misfit: () => undefined,
    say: () => {},
    ...(small !== undefined && { small })
  })
  const { keeper: log } = edge as unknown as { keeper: StateLog }
  return { edge, rewrite: () => log.rewrite() }
}

/** Creates a sandbox, without saving it. */
function add(edge: Edge, name: string): Sandbox {
  const rows = createStore()
  const base = { key: `base of ${name.slice(0, 1)}`, rows: createStore() }
  const state = { fixtures: 'empty', base, rows, ids: new Ids(1), clock: new Clock({ now: 0, speed: 0 }) }
  const sandbox = Sandbox.of(name, state, {}, limits)
  edge.sandboxes.set(name, sandbox)
  return sandbox
}

/** Adds a label to a sandbox; resolves with its id when it is saved, with undefined when it was rolled back. */
async function write(edge: Edge, sandbox: Sandbox): Promise<number | undefined> {
  const transaction = new Transaction(sandbox)
  const id = transaction.run(() => {
    const next = sandbox.ids.next('labels', sandbox.rows)
    collectionOf(sandbox.rows, 'labels').put({ id: next, name: 'x'.repeat(next % 50) })
    return next
  })
  return edge.keepRows(sandbox, transaction)?.then(
    () => id,
    () => undefined
  )
}

/** The labels of each sandbox that has any. */
function labelsOf(edge: Edge): Record<string, number[]> {
  const all = [...edge.sandboxes].map(
    ([name, { rows }]) => [name, [...collectionOf(rows, 'labels').all()].map(({ id }) => Number(id))] as const
  )
  return Object.fromEntries(all.filter(([, ids]) => ids.length > 0))
}

/** Numbers from 0 up to, but not including, 1, that repeat. */
function chance(seed: number): () => number {
  let x = seed + 1
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    return x / 2 ** 32
  }
}

test('a log that is rewritten during writes has, after a restart, what was acknowledged and nothing else, whatever fails', async () => {
  const outcomes = { renewed: 0, failed: 0, refused: 0 }
  for (let seed = 0; seed < 40; seed++) {
    const folder = newFolder()
    const random = chance(seed)
    const { edge, rewrite } = await openEdge(folder)
    const sandboxes = ['a1', 'a2', 'b1', 'c1'].map((name) => add(edge, name))
    const expected: Record<string, number[]> = { a1: [], a2: [], b1: [], c1: [] }
    const pending: Promise<void>[] = []
    const some = (count: number) => {
      for (let n = 0; n < count; n++) {
        // The last one is made while the log is rewritten.
        const sandbox = sandboxes[Math.floor(random() * sandboxes.length)] as Sandbox
        const done = write(edge, sandbox)
        pending.push(
          done.then((id) => (id === undefined ? outcomes.refused++ : expected[sandbox.name]?.push(id))).then(() => {})
        )
      }
    }
    some(8)
    await Promise.all(pending)
    const failing = { 'log.new': random() < 0.6 ? 0.15 : 0, log: random() < 0.4 ? 0.15 : 0 }
    const end = interceptWrites(async (file, go) => {
      if (random() < 0.5) await new Promise(setImmediate)
      if (random() < (file.endsWith('.new') ? failing['log.new'] : failing.log)) {
        await go(7)
        full()
      }
      return go()
    })
    let isDone = false
    const renewed = rewrite().then(
      () => outcomes.renewed++,
      () => outcomes.failed++
    )
    void renewed.then(() => {
      isDone = true
    })
    while (!isDone) {
      some(Math.floor(random() * 3))
      await new Promise(setImmediate)
    }
    some(5)
    await Promise.all(pending)
    end()
    expect(existsSync(join(folder, 'log.new'))).toBe(false)
    const inMemory = labelsOf(edge)
    // The files after a kill, and after a stop.
    expect(readLog(readFileSync(log(folder))).damage).toBeUndefined()
    await edge.close()
    const again = await openEdge(folder)
    const sorted = Object.fromEntries(
      Object.entries(expected).flatMap(([name, ids]) => (ids.length > 0 ? [[name, ids.sort((a, b) => a - b)]] : []))
    )
    expect([seed, labelsOf(again.edge)]).toEqual([seed, inMemory])
    expect([seed, labelsOf(again.edge)]).toEqual([seed, sorted])
    await again.edge.close()
  }
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(5)
})

test('a log that is rewritten does not grow with every restart', async () => {
  const [folder, small] = [newFolder(), 20_000]
  const sizes: number[] = []
  for (let round = 0; round < 30; round++) {
    const { edge } = await openEdge(folder, small)
    const sandbox = edge.sandboxes.get('a') ?? add(edge, 'a')
    // Less than its limit for a rewrite.
    for (let n = 0; n < 40; n++) await write(edge, sandbox)
    const transaction = new Transaction(sandbox)
    transaction.run(() => {
      const labels = collectionOf(sandbox.rows, 'labels')
      for (const { id } of [...labels.all()]) labels.remove(id)
    })
    await edge.keepRows(sandbox, transaction)
    await edge.close()
    sizes.push(statSync(log(folder)).size)
  }
  expect(Math.max(...sizes)).toBeLessThan(small + 2 * (sizes[0] as number))
  expect(sizes.filter((size, at) => size < (sizes[at - 1] ?? 0)).length).toBeGreaterThan(1)
})
