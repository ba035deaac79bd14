import { createMock } from 'knowledge-chat-mock/browser'

// Next loads each route on its own: they share one mock of the process.
globalThis.mock ??= createMock({ fixtures: 'demo' })

export const { fetch } = globalThis.mock
