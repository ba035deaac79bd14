import { type Probe, seen, statusOf } from '../probe.js'

const noUrls = { body: {} }

export const errorProbes: Record<string, Probe> = {
  'errors.missing': async ({ call }) => [
    await seen(call('GET', '/api/persona/999')),
    await seen(call('GET', '/api/user/projects/1/details', { as: 'basic' }))
  ],

  'errors.unknown-path': ({ call }) => seen(call('GET', '/api/nothing')),

  'errors.wrong-method': async ({ call }) => {
    const { status, headers } = await call('HEAD', '/api/get-user-role')
    return [status, headers.get('allow')]
  },

  'errors.unreadable-body': async ({ call }) => [
    await seen(call('PUT', '/api/manage/admin/users', { body: '"\\', headers: { 'Content-Encoding': 'gzip' } })),
    await seen(
      call('POST', '/api/manage/admin/connector/file/upload', {
        body: 'no boundary',
        headers: { 'Content-Type': 'multipart/form-data' }
      })
    )
  ],

  'errors.wrong-host': ({ call }) => statusOf(call('GET', '/api/get-user-role', { headers: { Host: 'a.example' } })),

  'errors.validation-dialect': ({ call }) => seen(call('POST', '/api/web-search/open-urls', noUrls)),

  'errors.input-and-ctx': ({ call }) => seen(call('POST', '/api/web-search/open-urls', noUrls))
}
