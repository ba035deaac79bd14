import type { JournalDetail } from '../../../contract/types.gen.js'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { Action } from '../parts/action.js'
import { Copy } from '../parts/copy.js'
import { Pending } from '../parts/page.js'
import { Status } from '../parts/status.js'
import { Long } from '../parts/text.js'
import { Moment, milliseconds } from '../parts/time.js'
import { go, href, route } from '../route.js'
import { isUpload } from './again.js'
import { asCurl } from './as-curl.js'
import { asTest } from './as-test.js'
import { Findings } from './findings.js'
import { marksOf } from './marks.js'
import { Message } from './message.js'
import { isHidden, replay, whyNoReplay } from './replay.js'
import { Workings } from './workings.js'

export function Exchange({ id }: { id: string }) {
  const loaded = useLoad(() => call('getRequest', { path: { id } }), id)
  const { value, error } = loaded
  return (
    <section class="second exchange" aria-label="Exchange">
      <a class="back" href={href('requests', [], Object.fromEntries(route.value.query))}>
        Close
      </a>
      {value && !error ? (
        <>
          <h2>
            <span class="method">{value.method}</span> <Long text={value.url} />
          </h2>
          <Facts exchange={value} />
          <Actions exchange={value} />
          <Findings exchange={value} />
          <Message name="Request" message={value.request} marks={marksOf(value).request} url={value.url} />
          <Message name="Response" message={value.response} marks={marksOf(value).response} />
          <Workings exchange={value} />
        </>
      ) : (
        <Pending loaded={loaded} />
      )}
    </section>
  )
}

function Facts({ exchange }: { exchange: JournalDetail }) {
  const { id, time, real_time, operation, status, user, rule, override, fault, refusal, duration_ms } = exchange
  return (
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <Status status={status} />
      </dd>
      <dt>Operation</dt>
      <dd>{operation ?? 'none of the interface'}</dd>
      <dt>Rule</dt>
      <dd>{rule ?? 'not reached'}</dd>
      <dt>User</dt>
      <dd>{user ?? 'nobody'}</dd>
      <dt>Took</dt>
      <dd class="number">{milliseconds(duration_ms)}</dd>
      <dt>Time</dt>
      <dd>
        <Moment at={time} />
      </dd>
      <dt>Real time</dt>
      <dd>
        <Moment at={real_time} />
      </dd>
      <dt>Id</dt>
      <dd class="number">{id}</dd>
      {refusal !== undefined && (
        <>
          <dt>Refused as</dt>
          <dd>{refusal}</dd>
        </>
      )}
      {override !== undefined && (
        <>
          <dt>Answered by</dt>
          <dd>{override === 'Prefer' ? 'Prefer' : <a href={href('overrides')}>override {override}</a>}</dd>
        </>
      )}
      {fault !== undefined && (
        <>
          <dt>Fault</dt>
          <dd>{fault}</dd>
        </>
      )}
    </dl>
  )
}

function Actions({ exchange }: { exchange: JournalDetail }) {
  const { sandbox } = route.value
  const reason = whyNoReplay(exchange)
  return (
    <div class="buttons">
      <Action
        disabled={reason !== undefined}
        run={async () => {
          const { status, id } = await replay(exchange, sandbox)
          if (id !== undefined) go(href('requests', [id]))
          return `Sent again: ${status}.`
        }}
      >
        Replay
      </Action>
      <Copy name="curl" text={() => asCurl(exchange, sandbox)} />
      {!isUpload(exchange.request) && <Copy name="test" text={() => asTest(exchange)} />}
      {exchange.operation !== null && (
        <a class="button" href={href('overrides', ['new'], { from: exchange.id })}>
          Make an override of this
        </a>
      )}
      {reason !== undefined && <p class="quiet">{reason}</p>}
      {isHidden(exchange) && <p class="quiet">What the journal hides is sent and copied as ***.</p>}
    </div>
  )
}
