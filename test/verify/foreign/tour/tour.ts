import { startForeign } from '../service.js'
import { Tourist } from './client.js'
import { knock, read, search } from './right.js'
import { write } from './writes.js'
import { wrong } from './wrong.js'

/** What one client sees that asks for everything. Throws Different at the first difference from what is expected. */
export async function tour(
  switches: { choices?: string[]; bugs?: string[] },
  expected?: readonly string[]
): Promise<string[]> {
  const { url, close } = await startForeign(switches)
  const it = new Tourist(url, expected)
  try {
    await read(it)
    await search(it)
    await knock(it)
    for (const asked of wrong) await it.ask(asked)
    await write(it)
  } finally {
    await close()
  }
  return it.seen
}
