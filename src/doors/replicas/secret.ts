import { createHmac, randomBytes } from 'node:crypto'
import type { Engine } from '../../mock/replicas/engine/engine.js'
import type { SettledServer } from '../options/table.js'

/** A secret that all processes know who were given the same options. Undefined: they were given none. */
export function givenSecret({ peerSecret, controlToken }: SettledServer, prefix: string): string | undefined {
  if (peerSecret !== undefined || controlToken === undefined) return peerSecret
  return createHmac('sha256', controlToken).update(`peers of ${prefix}`).digest('base64url')
}

/** One that the engine keeps. Who can read the engine knows all there is. `own`: what this process has used so far. */
export async function sharedSecret(engine: Engine, own?: string): Promise<string> {
  const key = engine.key('secret')
  await engine.ask('SET', key, own ?? randomBytes(32).toString('base64url'), 'NX')
  return (await engine.ask('GET', key)) as string
}
