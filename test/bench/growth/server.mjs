// The mock with as many chat sessions as its argument says, all of one user, and rows to use up on order of its parent:
// { key, count } → { requests }; { clear: true } → {} takes out again what came since the start.
import { createServer } from 'node:http'
import { createMock } from '../../../src/doors/program/mock.ts'
import { createStock, measured, requestsFor } from './operations.mjs'
import { grow } from './rows.mjs'

const now = Date.now()
const mock = createMock({ maxSandboxBytes: Number.MAX_SAFE_INTEGER })
const { rows } = mock.sandboxes.use('default')
grow(rows, Number(process.argv[2]), now)
const stock = createStock(rows, now)
// What the filling left behind is not a request's cost.
globalThis.gc()

process.on('message', ({ key, count, clear }) => {
  if (clear) {
    stock.clear()
    globalThis.gc({ type: 'minor' })
    return process.send({})
  }
  process.send({
    requests: requestsFor(
      measured.find((it) => it.key === key),
      count,
      stock.take
    )
  })
})
createServer({ keepAliveTimeout: 65_000 }, mock.listener).listen(0, '127.0.0.1', function () {
  process.send({ port: this.address().port })
})
