import { startTestMock } from '../mock.js'

test('an error in a body that may be a list or an object has the place of the wrong value', async () => {
  const mock = await startTestMock()
  const put = (body: unknown) => mock.call('PUT', '/__mock/overrides', { body })
  const inList = await put([{ operation: 'getPersona', status: 'x' }])
  expect([inList.status, inList.body.errors[0].field]).toEqual([400, '0.status'])
  const inObject = await put({ overrides: [{ operation: 'getPersona', status: 'x' }] })
  expect([inObject.status, inObject.body.errors[0].field]).toEqual([400, 'overrides.0.status'])
  expect((await put('text')).status).toBe(400)
})
