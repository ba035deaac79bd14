/**
 * Ten steps of a front end, with only `fetch`: list, create, 422, upload, clock, override, snapshot, restore, journal, two
 * sandboxes. Returns what was seen at each step; `expected` is what should be seen. It runs wherever the mock runs.
 */
export async function story(ask, origin, sandbox = 'story') {
  const call = async (method, path, body, place = sandbox) => {
    const isForm = body instanceof FormData
    const response = await ask(`${origin}${path}`, {
      method,
      headers: {
        Authorization: 'Bearer admin',
        'X-Mock-Sandbox': place,
        ...(body && !isForm && { 'Content-Type': 'application/json' })
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const list = async (place) => {
    const { body } = await call('GET', '/api/chat/get-user-chat-sessions', undefined, place)
    return body.sessions.map(({ name }) => name)
  }
  const create = (description, place) => call('POST', '/api/chat/create-chat-session', { description }, place)
  const seen = {}

  await call('POST', '/__mock/reset', { fixtures: 'empty', now: '2026-03-02T10:00:00.000Z' })
  await call('DELETE', '/__mock/requests')
  seen.list = await list()
  seen.create = [(await create('Plan the offsite')).status, await list()]
  const refused = await call('POST', '/api/chat/create-chat-session', { persona_id: 'none' })
  seen.refused = [refused.status, refused.body.detail[0].loc, refused.body.detail[0].msg]

  const form = new FormData()
  form.append('files', new File(['# Handbook\n'], 'handbook.md', { type: 'text/markdown' }))
  const upload = await call('POST', '/api/manage/admin/connector/file/upload', form)
  seen.upload = [upload.status, upload.body.file_names, upload.body.file_paths.length]

  seen.clock = (await call('PUT', '/__mock/clock', { advance: '1h' })).body.now
  await create('Later')
  await call('POST', '/__mock/overrides', { operation: 'createChatSession', status: 503, times: 1 })
  seen.override = [(await create('In vain')).status, (await create('Again')).status]

  await call('POST', '/__mock/snapshots/three')
  await create('Too much')
  seen.snapshot = await list()
  await call('POST', '/__mock/snapshots/three/restore')
  seen.restore = await list()

  const { body: journal } = await call('GET', '/__mock/requests?status=422')
  seen.journal = journal.requests.map(({ operation, violations }) => [operation, violations])

  const other = `${sandbox}-2`
  await call('POST', '/__mock/sandboxes', { name: other, from: sandbox })
  await create('Elsewhere', other)
  seen.sandboxes = [await list(other), await list()]
  await call('DELETE', `/__mock/sandboxes/${other}`)
  return seen
}

export const expected = {
  list: [],
  create: [200, ['Plan the offsite']],
  refused: [422, ['body', 'persona_id'], 'Input should be a valid integer'],
  upload: [200, ['handbook.md'], 1],
  clock: '2026-03-02T11:00:00.000Z',
  override: [503, 200],
  snapshot: ['Later', 'Again', 'Too much', 'Plan the offsite'],
  restore: ['Later', 'Again', 'Plan the offsite'],
  journal: [['createChatSession', []]],
  sandboxes: [
    ['Later', 'Again', 'Elsewhere', 'Plan the offsite'],
    ['Later', 'Again', 'Plan the offsite']
  ]
}
