import { Refusal } from '../contract/message/refusal.js'
import type { SandboxInfo } from '../contract/types.gen.js'
import { timestamp } from '../sandbox/clock.js'
import { Sandbox } from '../sandbox/sandbox.js'
import { countRows } from '../store/rows.js'
import { forkOf } from './journal/history.js'
import type { AllSandboxes, ControlContext, ControlRules } from './rule.js'

export const sandboxRules: ControlRules<
  'listSandboxes' | 'makeSandbox' | 'dropSandboxes' | 'getSandbox' | 'dropSandbox'
> = {
  listSandboxes({ query: { limit = mostListed, offset = 0, q = '' } }, { prepared, sandboxes }) {
    const text = q.toLowerCase()
    const isFound = ({ name }: { name: string }) => name.toLowerCase().includes(text)
    const all = prepared as AllSandboxes | undefined
    const matches = (all?.sandboxes ?? sandboxes.list()).filter(isFound)
    const listed = matches.slice(offset, offset + limit).map((it) => (it instanceof Sandbox ? infoOf(it) : it))
    const asleep = all?.asleep && { ...all.asleep, sandboxes: all.asleep.sandboxes.filter(isFound) }
    return { ...all, sandboxes: listed, total: matches.length, ...(asleep && { asleep }) }
  },

  makeSandbox: ({ body: { name, from, at } }, context) => {
    const { sandboxes, prepared } = context
    const origin = from === undefined || prepared ? undefined : existing(context, from)
    if (sandboxes.find(name)) throw new Refusal('taken-name', { name })
    return infoOf(sandboxes.make(name, (prepared as Sandbox | undefined) ?? forkOf(origin, at, name)))
  },

  dropSandboxes: (_, { prepared, sandboxes }) => ({
    removed: (prepared as number | undefined) ?? sandboxes.dropOthers()
  }),

  getSandbox: ({ path: { name } }, context) => infoOf(existing(context, name)),

  dropSandbox: ({ path: { name } }, context) => {
    if (name === 'default') throw new Refusal('default-sandbox')
    existing(context, name)
    return { removed: Number(context.sandboxes.drop(name)) }
  }
}

/** The number of sandboxes in a list, unless the request gives another. */
const mostListed = 1000

function existing({ sandboxes, cluster }: ControlContext, name: string): Sandbox {
  const sandbox = sandboxes.existing(name)
  if (sandbox) return sandbox
  const here = sandboxes.list().slice(0, 5)
  const names = cluster ? 'see GET /__mock/sandboxes' : here.map((it) => it.name).join(', ')
  throw new Refusal('unknown-name', { name, known: names || 'none' })
}

export function infoOf({ name, createdAt, clock, journal, rows }: Sandbox): SandboxInfo {
  const requests = journal.position
  return { name, created_at: timestamp(createdAt), now: clock.time, requests, rows: countRows(rows) }
}
