import type { IncomingHttpHeaders } from 'node:http'
import { behaviourMutants } from './behaviour.js'
import { caughtBy } from './caught.js'
import { fieldMutants } from './fields.js'
import type { Mutant } from './mutant.js'
import { type Fault, textOf } from './server.js'

/** A request that verify sent, and the reply that it got. */
export interface Exchange {
  operation: string | undefined
  request: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }
  reply: { status: number; headers: Record<string, string | string[] | undefined>; text: string }
}

/** All mutants. What is wrong with a field is named by its kind, other faults by the check that is to catch them. */
export function allMutants(isWhole: boolean): (Mutant & { kind: string })[] {
  return [
    ...fieldMutants(isWhole).map((mutant) => ({ ...mutant, kind: /is (\w+) in/.exec(mutant.name)?.[1] as string })),
    ...behaviourMutants.map((mutant) => ({ ...mutant, kind: mutant.check }))
  ]
}

/** The checks that find something, and all that went over the wire meanwhile. Without a fault: the mock as it is. */
export async function recorded(
  operations: string,
  fault: Fault = () => (asked) => asked.pass()
): Promise<{ caught: string[]; exchanges: Exchange[] }> {
  const exchanges: Exchange[] = []
  const caught = await caughtBy({ operations, fault: recording(fault, exchanges) })
  return { caught, exchanges }
}

function recording(fault: Fault, exchanges: Exchange[]): Fault {
  return () => {
    const alter = fault()
    return async (asked) => {
      const { operation, method, url, headers, bytes } = asked
      const reply = await alter(asked)
      const text = textOf(reply)
      // A copy: a fault may alter later what it has answered before.
      exchanges.push({
        operation,
        request: { method, path: url, headers, body: bytes },
        reply: { status: reply.status, headers: { ...reply.headers }, text }
      })
      return reply
    }
  }
}
