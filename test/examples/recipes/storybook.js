// .storybook/preview.js: every story has a sandbox, and what its parameters say happens there first. MSW's worker asks the
// mock: `initialize({}, storyHandlers(location.origin))` of msw-storybook-addon, and its `mswLoader` before this one.
import { createMock } from 'knowledge-chat-mock/browser'
import { handlers } from 'knowledge-chat-mock/msw'

const mock = createMock({ fixtures: 'demo' })

export const storyHandlers = (origin) => handlers(mock, { origin })

export const loaders = [
  async ({ parameters: { scenario, arrange } }) => {
    const box = mock.sandbox()
    box.reset()
    if (scenario) await box.play(scenario)
    arrange?.(box)
    return { box }
  }
]
