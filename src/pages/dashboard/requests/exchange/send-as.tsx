import type { JournalDetail } from '../../../../contract/types.gen.js'
import { outgoingOf, whyNoReplay } from '../../outgoing/outgoing.js'
import { sendRequest } from '../../outgoing/send.js'
import { Action } from '../../parts/action.js'
import { go, href, route } from '../../route.js'

const users = ['admin', 'curator', 'basic']

/** Sends a request that its user may not send, as another user. */
export function SendAs({ exchange }: { exchange: JournalDetail }) {
  if (whyNoReplay(exchange) !== undefined) return null
  return (
    <div class="buttons">
      {users
        .filter((user) => user !== exchange.user)
        .map((user) => (
          <Action
            key={user}
            run={async () => {
              const { status, id } = await sendRequest(outgoingOf({ ...exchange, user }), route.value.sandbox)
              if (id !== undefined) go(href('requests', [id], Object.fromEntries(route.value.query)))
              return `Sent as ${user}: ${status}.`
            }}
          >
            Send as {user}
          </Action>
        ))}
    </div>
  )
}
