// A worker of Cloudflare, Deno and Bun that is the mock.
import { createMock } from 'knowledge-chat-mock/browser'

const mock = createMock({ fixtures: 'demo' })

export default { fetch: mock.fetch }
