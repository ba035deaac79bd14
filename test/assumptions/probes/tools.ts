import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'

export const toolProbes: Record<string, Probe> = {
  'tool.definition': ({ call }) =>
    seen(call('POST', '/api/admin/tool/custom/validate', { body: { definition: { openapi: '3.0.0' } } })),

  'tool.deletion': async ({ call, sandbox: { rows } }) => {
    rows.personas.put({ ...(rows.personas.get(1) as Rows['personas']), tool_ids: [7] })
    return [await statusOf(call('DELETE', '/api/admin/tool/custom/7')), rows.personas.get(1)?.tool_ids]
  },

  'tool.builtin': async ({ call, sandbox: { rows } }) => [
    await statusOf(call('DELETE', '/api/admin/tool/custom/1')),
    rows.tools.get(1) !== undefined
  ]
}
