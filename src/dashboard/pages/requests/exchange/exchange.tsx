import type { JournalDetail } from '../../../../engine/contract/types.gen.js'
import { useCall } from '../../load.js'
import { asCurl } from '../../outgoing/as-curl.js'
import { isHidden, outgoingOf, whyNoReplay } from '../../outgoing/outgoing.js'
import { resend } from '../../outgoing/send.js'
import { Action } from '../../parts/action.js'
import { Copy } from '../../parts/copy.js'
import { DialogButton } from '../../parts/dialog.js'
import { Pending } from '../../parts/page.js'
import { Status } from '../../parts/status.js'
import { Long } from '../../parts/text.js'
import { milliseconds, wallTime } from '../../parts/time.js'
import { exchangeHref, explorerAddress, href, route } from '../../route.js'
import { ShareExchange } from '../../share/share-exchange.js'
import { Sides } from './sides.js'
import { Story } from './story.js'
import { WhatIf } from './what-if.js'

export function Exchange({ id }: { id: string }) {
  const loaded = useCall('getRequest', { path: { id } })
  const { value, error } = loaded
  const other = route.value.query.get('with')
  return (
    <section class="exchange panel" aria-label="Exchange">
      <a class="back" href={exchangeHref(undefined, { with: undefined })}>
        Close
      </a>
      {value && !error ? (
        <>
          <header>
            <h2>
              <span class="method">{value.method}</span> <Long text={value.url} />
            </h2>
            <p class="facts">
              <Status status={value.status} violations={value.violations} />{' '}
              {value.operation === null ? (
                <span>no operation</span>
              ) : (
                <a href={explorerAddress(value.operation)} title="In the API explorer">
                  {value.operation}
                </a>
              )}
              <span class="quiet">
                {value.id}, as {value.user ?? 'nobody'}, {milliseconds(value.duration_ms)}
              </span>
            </p>
            <Actions exchange={value} />
          </header>
          {other !== null && <Compared key={other} exchange={value} id={other} />}
          <Story exchange={value} />
          <WhatIf key={value.id} exchange={value} />
        </>
      ) : (
        <Pending loaded={loaded} />
      )}
    </section>
  )
}

function Actions({ exchange }: { exchange: JournalDetail }) {
  const { sandbox } = route.value
  const reason = whyNoReplay(exchange)
  return (
    <div class="buttons">
      <Action disabled={reason !== undefined} run={() => resend(outgoingOf(exchange), 'again')}>
        Replay
      </Action>
      {!['CONNECT', 'TRACE'].includes(exchange.method) && (
        <a class="button" href={href('send', [exchange.operation ?? 'any'], { from: exchange.id })}>
          Edit and resend
        </a>
      )}
      <Copy name="curl" text={() => asCurl(outgoingOf(exchange), sandbox)} />
      <ShareExchange exchange={exchange} />
      {exchange.operation !== null && (
        <a class="button" href={href('overrides', ['new'], { from: exchange.id })}>
          Make an override of this
        </a>
      )}
      <DialogButton label="Compare…" title="Compare with">
        {(close) => <Others exchange={exchange} onChoose={close} />}
      </DialogButton>
      {reason !== undefined && <p class="quiet">{reason}</p>}
      {isHidden(exchange) && <p class="quiet">What the journal hides is sent and copied as ***.</p>}
    </div>
  )
}

/** Other exchanges to compare with: the latest ones of the same operation. */
function Others({ exchange: { id, operation }, onChoose }: { exchange: JournalDetail; onChoose: () => void }) {
  const query = operation === null ? { unmatched: true } : { operation }
  const loaded = useCall('listRequests', { query: { ...query, limit: 20 } })
  const others = loaded.value?.requests.filter((it) => it.id !== id)
  if (!others) return <Pending loaded={loaded} />
  if (others.length === 0) return <p>There is no other exchange of this operation.</p>
  return (
    <ul class="others">
      {others.map((other) => (
        <li key={other.id}>
          <a href={exchangeHref(id, { with: other.id })} onClick={onChoose}>
            {other.id} <Status status={other.status} /> {other.method} <bdi class="code">{other.url}</bdi>
          </a>{' '}
          <span class="quiet number">
            {other.user ?? 'nobody'}, {wallTime(other.real_time)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The exchange next to the one in the URL. */
function Compared({ exchange, id }: { exchange: JournalDetail; id: string }) {
  const loaded = useCall('getRequest', { path: { id } })
  return (
    <section class="what-if" aria-label="Comparison">
      <h3>
        Compared with {id} <a href={exchangeHref(exchange.id, { with: undefined })}>End</a>
      </h3>
      {loaded.value ? (
        <Sides left={{ label: id, exchange: loaded.value }} right={{ label: exchange.id, exchange }} />
      ) : (
        <Pending loaded={loaded} />
      )}
    </section>
  )
}
