import { isObject, type JsonObject } from '../../engine/contract/load.js'
import { type Call, itemsIn } from '../record/traffic.js'
import { type Difference, isSoft } from './compare.js'
import { isPlace } from './lists.js'

/** Another way to read a parameter whose name and meaning the contract leaves open. */
interface Reading {
  name: string
  /** With its operation. */
  place: string
  as: string
  target: string
}

/** Other readings of a call's parameters. `count`: how many rows the service shows. */
function* readingsOf({ operation, query }: Call, target: string, count: number): Iterable<Reading> {
  const [path] = target.split('?')
  for (const [name, schema] of Object.entries((operation.input.query?.properties ?? {}) as JsonObject)) {
    if (!isObject(schema) || !schema['x-assumed']) continue
    const reading = (as: string, value?: number): Reading => {
      const changed = new URLSearchParams(query)
      if (value === undefined) changed.delete(name)
      else changed.set(name, `${value}`)
      return { name, place: `${operation.id}.${name}`, as, target: `${path}?${changed}` }
    }
    const sent = query.get(name)
    const isNumber = schema.type === 'integer'
    if (sent !== null) yield reading('not heeded')
    if (sent !== null && isNumber && isPlace.test(name)) yield reading('counted from 0', Number(sent) + 1)
    if (sent !== null || !isNumber || isPlace.test(name)) continue
    for (const it of [count, schema.maximum]) if (it) yield reading('another default', it as number)
  }
}

/** What is left of the differences if the mock gets another target. */
type Ask = (target: string) => Promise<Difference[]>

/** How a service reads the parameters whose names the contract leaves open: always in the same way. */
export class Parameters {
  private readonly inForce = new Map<string, string>()
  /** Readings that do not give the service's answer. */
  private readonly refuted = new Set<string>()

  /** The reading that explains all differences of a call. */
  async explain(call: Call, target: string, ask: Ask): Promise<Reading | undefined> {
    const count = itemsIn(call.reply).filter((it) => 'id' in it).length
    for (const it of readingsOf(call, target, count)) {
      if ((this.inForce.get(it.place) ?? it.as) !== it.as || this.refuted.has(`${it.place} ${it.as}`)) continue
      // A value that is named like it depends on it.
      if ((await ask(it.target)).some((other) => !isSoft(other) && !other.path.includes(it.name))) continue
      this.inForce.set(it.place, it.as)
      return it
    }
    return undefined
  }

  /** Tries other readings of a call that both answer the same way. Returns those in force that do not give this answer. */
  async refute(call: Call, target: string, ask: Ask): Promise<Reading[]> {
    const wrong: Reading[] = []
    for (const it of readingsOf(call, target, 0)) {
      const isTried = this.refuted.has(`${it.place} ${it.as}`) || it.as === 'another default'
      if (isTried || (await ask(it.target)).every(isSoft)) continue
      this.refuted.add(`${it.place} ${it.as}`)
      if (this.inForce.get(it.place) === it.as) wrong.push(it)
    }
    return wrong
  }
}
