// A Hono application whose API is the mock.
import { Hono } from 'hono'
import { createMock } from 'knowledge-chat-mock'

const mock = createMock({ fixtures: 'demo' })

export const app = new Hono()
app.get('/', (c) => c.text('the application'))
app.all('/api/*', (c) => mock.fetch(c.req.raw))
app.all('/__mock/*', (c) => mock.fetch(c.req.raw))
