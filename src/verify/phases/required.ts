import { locsOf } from '../judge.js'
import { unknownNumber } from '../rows.js'
import type { Run } from '../run.js'

/**
 * Whether E6 takes the whole agent only. Asked before all else, of an agent that does not exist and with a field that
 * is wrong in any case: other requests rest on the answer.
 */
export async function required(run: Run): Promise<void> {
  const input = { path: { persona_id: unknownNumber }, body: { num_chunks: {} } }
  const exchange = await run.ask('updatePersona', input)
  const told = JSON.stringify(locsOf(exchange).sort())
  const reading = run.readings.input('updatePersona', input).find(({ locs }) => JSON.stringify(locs.sort()) === told)
  if (reading) run.answers.add('requests.required', reading.choices['requests.required'] as string, 'updatePersona')
}
