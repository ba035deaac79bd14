import { type Probe, seen, statusOf } from '../probe.js'

export const toolProbes: Record<string, Probe> = {
  'tool.definition': ({ call }) =>
    seen(call('POST', '/api/admin/tool/custom/validate', { body: { definition: { openapi: '3.0.0' } } })),

  'tool.builtin': async ({ call, sandbox: { rows } }) => [
    await statusOf(call('DELETE', '/api/admin/tool/custom/1')),
    rows.tools.get(1) !== undefined
  ]
}
