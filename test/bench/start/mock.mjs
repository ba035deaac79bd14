import { createMock } from '../../../dist/index.js'

const response = await createMock().fetch('http://mock/api/persona/1', { headers: { Authorization: 'Bearer admin' } })
if (!response.ok) throw new Error(`the mock answers ${response.status}`)
await response.json()
