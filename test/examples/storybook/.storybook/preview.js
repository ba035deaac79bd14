// Every story has a fresh sandbox, in which its parameters are applied first. MSW's worker calls the mock.
import { createMock } from 'knowledge-chat-mock/browser'
import { handlers } from 'knowledge-chat-mock/msw'
import { setupWorker } from 'msw/browser'

const mock = createMock({ fixtures: 'demo' })
const worker = setupWorker(...handlers(mock, { origin: 'http://api.example' }))

export default {
  beforeAll: () => worker.start({ quiet: true, onUnhandledRequest: 'bypass' }),
  loaders: [
    async ({ parameters: { scenario, arrange } }) => {
      const box = mock.sandbox()
      box.reset()
      if (scenario) await box.play(scenario)
      arrange?.(box)
      return { box }
    }
  ]
}
