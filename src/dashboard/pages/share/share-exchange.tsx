import type { JournalDetail } from '../../../engine/contract/types.gen.js'
import { useCall } from '../load.js'
import { asCurl } from '../outgoing/as-curl.js'
import { asFetch, asOpenapiFetch } from '../outgoing/as-fetch.js'
import { isHidden, outgoingOf } from '../outgoing/outgoing.js'
import { Copy } from '../parts/copy.js'
import { DialogButton } from '../parts/dialog.js'
import { route } from '../route.js'
import { testOf } from './as-test.js'
import { SaveHar } from './save-har.js'
import { TestOffer } from './test-offer.js'
import { tryExchange } from './try-out.js'

/** All ways to share one exchange. */
export function ShareExchange({ exchange }: { exchange: JournalDetail }) {
  return (
    <DialogButton label="Share this…" title={`Share ${exchange.id}`} class="wide" end="Close">
      <Ways exchange={exchange} />
    </DialogButton>
  )
}

function Ways({ exchange }: { exchange: JournalDetail }) {
  const { sandbox } = route.value
  const { value } = useCall('listOperations')
  const path = value?.operations.find(({ id }) => id === exchange.operation)?.path
  const outgoing = outgoingOf(exchange)
  return (
    <>
      <TestOffer
        name={`${exchange.operation ?? 'request'}-${exchange.id}`}
        run={async () => {
          const tried = await tryExchange(exchange)
          const steps = tried.scenario.steps.filter(({ clock }) => clock === undefined).length
          return { steps, write: (style) => testOf(exchange, tried, style) }
        }}
      />
      <section class="offer" aria-label="As a request">
        <h3>As a request</h3>
        {isHidden(exchange) && <p class="quiet">What the journal hides is copied as ***.</p>}
        <div class="buttons">
          <Copy name="curl" text={() => asCurl(outgoing, sandbox)} />
          <Copy name="fetch" text={() => asFetch(outgoing, sandbox)} />
          {path !== undefined && <Copy name="openapi-fetch" text={() => asOpenapiFetch(outgoing, path, sandbox)} />}
        </div>
      </section>
      <SaveHar name={`${sandbox}-${exchange.id}`} query={{ id: exchange.id }} what="This exchange" />
    </>
  )
}
