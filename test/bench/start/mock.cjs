const { createMock } = require('../../../dist/index.cjs')

createMock()
  .fetch('http://mock/api/persona/1', { headers: { Authorization: 'Bearer admin' } })
  .then(async (response) => {
    if (!response.ok) throw new Error(`the mock answers ${response.status}`)
    await response.json()
  })
