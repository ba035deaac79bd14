// The ten steps in this process: by import, by require, and with the module for browsers.
import { createRequire } from 'node:module'
import { createMock } from 'knowledge-chat-mock'
import { createMock as createInBrowser } from 'knowledge-chat-mock/browser'
import { story } from '../story.mjs'

const required = createRequire(import.meta.url)('knowledge-chat-mock')
const seen = []
for (const create of [createMock, required.createMock, createInBrowser]) {
  const mock = create({ fixtures: 'demo' })
  seen.push(await story(mock.fetch, 'http://mock'))
  await mock.close()
}
console.log(JSON.stringify([process.version, seen]))
