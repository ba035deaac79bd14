import { verify } from '../../../src/apis/knowledge-chat/scenes/index.js'
import type { Mutant } from './mutant.js'
import { startBroken } from './server.js'

/** The checks that find something. */
export async function caughtBy({ fault, operations }: Pick<Mutant, 'fault' | 'operations'>): Promise<string[]> {
  const server = await startBroken(fault)
  try {
    const { findings } = await verify({ url: server.url, mutating: true, operations })
    return [...new Set(findings.map(({ check }) => check))]
  } finally {
    await server.close()
  }
}
