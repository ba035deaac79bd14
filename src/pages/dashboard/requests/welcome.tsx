import { base, call } from '../client.js'
import { useLoad } from '../load.js'
import { Action } from '../parts/action.js'
import { Copy } from '../parts/copy.js'
import { route } from '../route.js'
import { playScenario } from '../undo/undo.js'

const users = ['admin', 'curator', 'basic']

/** What to do with a mock that nobody has asked yet. */
export function Welcome() {
  const { sandbox } = route.value
  const { value } = useLoad(() => call('listScenarios'), 'scenarios')
  const tokenOf = (user: string) => (sandbox === 'default' ? user : `${user}~${sandbox}`)
  const curl = `curl ${base}/api/persona/1 -H 'Authorization: Bearer ${tokenOf('admin')}'`
  return (
    <section class="welcome" aria-label="How to begin">
      <h2>Nothing was asked yet</h2>
      <p>Requests appear here as they come. Point your app to this address, with the token of a user:</p>
      <Snippet name="address" text={base} />
      <div class="buttons">
        {users.map((user) => (
          <Copy
            key={user}
            name={`token of ${user}`}
            label={`Bearer ${tokenOf(user)}`}
            text={() => `Bearer ${tokenOf(user)}`}
          />
        ))}
      </div>
      <h3>Or try one now</h3>
      <Snippet name="curl" text={curl} />
      <h3>Or play a scenario</h3>
      <ul class="scenarios">
        {value?.scenarios.slice(0, 6).map(({ name, description }) => (
          <li key={name}>
            <Action label={`Play ${name}`} run={() => playScenario(name)}>
              {name}
            </Action>
            <bdi class="quiet">{description}</bdi>
          </li>
        ))}
      </ul>
      <h3>Or add endpoints of your own</h3>
      <p class="quiet">Start the mock with the OpenAPI document of your service, and it answers its operations too.</p>
      <Snippet name="command" text="npx knowledge-chat-mock --with ./openapi.yaml" />
    </section>
  )
}

function Snippet({ name, text }: { name: string; text: string }) {
  return (
    <div class="snippet">
      <code>{text}</code>
      <Copy name={name} label={`Copy ${name}`} text={() => text} />
    </div>
  )
}
