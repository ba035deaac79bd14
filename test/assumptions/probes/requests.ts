import { filesForm, type Probe, seen, statusOf } from '../probe.js'

const create = '/api/chat/create-chat-session'
const upload = '/api/manage/admin/connector/file/upload'

export const requestProbes: Record<string, Probe> = {
  'requests.coercion': async ({ call }) => {
    const { status, body } = await call('PATCH', '/api/persona/1', { body: { num_chunks: '7' } })
    return [status, body.num_chunks]
  },

  'requests.unknown-fields': async ({ call }) => {
    const { status, headers } = await call('POST', create, { body: { descripton: 'Frost' } })
    return [status, headers.get('x-mock-violations')]
  },

  'requests.client-fields': async ({ call }) => {
    const { status, headers } = await call('GET', '/api/chat/search?include_highlights=true')
    return [status, headers.get('x-mock-violations')]
  },

  'requests.no-content-type': ({ call }) => seen(call('POST', create, { body: '{}', headers: { 'Content-Type': '' } })),

  'requests.required': async ({ call }) => {
    const { status, body } = await call('PATCH', '/api/persona/1', { body: { name: 'Scribe' } })
    return [status, body.detail?.length]
  },

  'requests.null': async ({ call }) => [
    await statusOf(call('POST', create, { body: { description: null } })),
    await statusOf(call('POST', create, { body: { persona_id: null } })),
    await statusOf(call('PATCH', '/api/persona/1', { body: { description: null } }))
  ],

  'limits.upload': async ({ call }) => [
    await statusOf(call('POST', upload, { form: filesForm(3) })),
    await statusOf(call('POST', upload, { form: filesForm(21) }))
  ]
}
