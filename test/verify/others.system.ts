import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { type Foreign, startForeign } from './foreign/service.js'

/** A second client of the administrator, which changes something all the time until it is stopped. */
function busyClient({ url, adminToken }: Foreign) {
  let isOver = false
  let made = 0
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' }
    const reply = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    expect(reply.status).toBe(200)
    made++
    return reply.json()
  }
  const works = [
    async () => {
      const { chat_session_id } = (await ask('POST', '/api/chat/create-chat-session', {
        description: `other ${made}`
      })) as {
        chat_session_id: string
      }
      await ask('DELETE', `/api/chat/delete-chat-session/${chat_session_id}`)
    },
    () => ask('PATCH', '/api/persona/105', { description: `other ${made}` }),
    () => ask('POST', '/api/user/projects/601/instructions', { instructions: `other ${made}` }),
    () => ask('PUT', '/api/manage/admin/users', { emails: [`other${made}@example.com`] })
  ]
  const loops = works.map(async (work) => {
    while (!isOver) await work()
  })
  return async () => {
    isOver = true
    await Promise.all(loops)
    return made
  }
}

test('what another client changes all the time is not a finding, and what a call changes still is', async () => {
  const resultOf = async (operations: string, bugs: string[] = []) => {
    const service = await startForeign({ bugs })
    const stop = busyClient(service)
    const { url, adminToken: token, userToken, disposable } = service
    const result = await verify({ url, token, userToken, disposable, operations, mutating: true, cases: 2 })
    expect(await stop()).toBeGreaterThan(20)
    await service.close()
    return result
  }
  const { findings, notChecked } = await resultOf('E6,E20,E23,E27')
  expect(findings).toEqual([])
  expect(notChecked.map(({ why }) => why)).toContain('others change it at the same time')
  const wrong = await resultOf('E20', ['E20-all'])
  expect(wrong.findings.map(({ operation, check }) => [operation, check])).toContainEqual([
    'deleteTool',
    'others_untouched'
  ])
})
