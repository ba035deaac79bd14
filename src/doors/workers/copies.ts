import { type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { Refusal } from '../../contract/message/refusal.js'
import type { Reason } from '../../contract/types.gen.js'
import { baseItems, type LogItem } from '../../mock/persistence/log-items.js'
import { replay } from '../../mock/persistence/replay.js'
import { type StateOptions, wholeOf } from '../../mock/persistence/state-log.js'
import type { OwnerAddress } from '../../mock/replicas/directory.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import { forkOf } from '../../rules/control/journal/history.js'
import { passHeader, type Signed } from '../replicas/signed.js'

/** What a worker asks another one for a copy of a sandbox. */
export const copyPath = '/copy?'

export interface CopyRequest {
  from: string
  /** The moment of the copy. */
  at: string | undefined
}

type CopyReply = { items: LogItem[] } | { reason: Reason; values: Record<string, unknown> }

/** Answers with a sandbox, as in a log. */
export function giveCopy(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  find: (name: string) => Sandbox | undefined,
  state: StateOptions
): void {
  const query = new URLSearchParams(url.slice(copyPath.length))
  const told = copyOf({ from: query.get('from') ?? '', at: query.get('at') ?? undefined }, find, state)
  response.end(JSON.stringify(told))
}

function copyOf(
  { from, at }: CopyRequest,
  find: (name: string) => Sandbox | undefined,
  state: StateOptions
): CopyReply {
  try {
    const origin = find(from)
    if (!origin) throw new Refusal('unknown-name', { name: from, known: 'none' })
    const copy = forkOf(origin, at, from) as Sandbox
    const { items, bases } = wholeOf(copy, state.choices({}))
    const needed = new Map(bases.flatMap((base) => (base ? [[base.key, base]] : [])))
    const { position: requests } = copy.journal
    const rows = [...needed.values()].flatMap((base) => [...baseItems(base)])
    return { items: [...rows, ...items, { op: 'requests', sandbox: from, requests }] }
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.reason, values: error.values }
    throw error
  }
}

/** Asks the worker of a sandbox for a copy. Rejects with a Refusal. */
export async function takeCopy(
  { from, at }: CopyRequest,
  { address }: OwnerAddress,
  signed: Signed,
  { choices, journal }: StateOptions
): Promise<Sandbox> {
  const target = `${copyPath}${new URLSearchParams({ from, ...(at !== undefined && { at }) })}`
  const header = signed.write(
    { sandbox: from, isPrivate: false, hasBody: false, hasHost: true },
    { method: 'GET', target }
  )
  const text = await new Promise<string>((resolve, reject) => {
    const sent = send(address + target, { headers: { [passHeader]: header }, agent: false }, async (response) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of response) chunks.push(chunk as Buffer)
        resolve(Buffer.concat(chunks).toString())
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject).end()
  }).catch((error: Error) => {
    throw new Refusal('elsewhere', { name: from, reason: error.message })
  })
  const told = JSON.parse(text) as CopyReply
  if ('reason' in told) throw new Refusal(told.reason, told.values)
  const [copy] = replay(told.items, choices, journal).values()
  return copy as Sandbox
}
