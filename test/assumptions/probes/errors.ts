import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type Probe, seen } from '../probe.js'
import { idsIn } from '../sandboxes.js'

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

  'errors.unreadable-body': ({ call }) =>
    seen(
      call('POST', '/api/manage/admin/connector/file/upload', {
        body: 'no boundary',
        headers: { 'Content-Type': 'multipart/form-data' }
      })
    ),

  'errors.wrong-host': async ({ url, sandbox, assumed }) => {
    // fetch does not let its caller set the host.
    const headers = { Host: 'page.example', Authorization: `Bearer admin~${sandbox.name}` }
    const [response] = (await once(get(`${url}/api/get-user-role`, { headers }), 'response')) as [IncomingMessage]
    response.resume()
    for (const id of idsIn(response.headers['x-mock-assumed'] as string | undefined)) assumed.add(id)
    return response.statusCode
  },

  'errors.validation-dialect': ({ call }) => seen(call('POST', '/api/web-search/open-urls', noUrls)),

  'errors.validation-body': ({ call }) => seen(call('POST', '/api/web-search/open-urls', noUrls)),

  'errors.input-and-ctx': ({ call }) => seen(call('POST', '/api/web-search/open-urls', noUrls))
}
