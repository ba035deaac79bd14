import type { ShadowReport } from '../../engine/contract/types.gen.js'
import { call, useLoad } from './client.js'
import { differences } from './json/values.js'
import { Diff, JsonText } from './json/view.js'
import { Head, Loaded } from './parts/page.js'
import { Bullets, count, Lazy, Status } from './parts/text.js'

type Compared = ShadowReport['operations'][number]

/** The answers of the service and of the mock, next to each other. */
export function Shadow() {
  const loaded = useLoad(() => call('getShadow'), 'shadow', { every: 2000 })
  return (
    <>
      <Head title="Shadow" />
      <Loaded from={loaded}>{(report) => <Shown {...report} />}</Loaded>
    </>
  )
}

function Shown({ url, operations }: ShadowReport) {
  if (url === null) {
    return (
      <p class="empty">
        This page shows where a service and the mock answer differently. Start the mock in front of a service:{' '}
        <code>npx knowledge-chat-mock proxy https://staging.example.com --shadow</code>
      </p>
    )
  }
  const total = (part: 'calls' | 'same') => operations.reduce((sum, it) => sum + it[part], 0)
  const sorted = operations.toSorted((a, b) => a.same / a.calls - b.same / b.calls)
  return (
    <>
      <p>
        {count(total('calls'), 'call')} of <code>{url}</code> compared,{' '}
        {shareOf({ calls: total('calls'), same: total('same') })} the same.
      </p>
      {operations.length === 0 && <p class="empty">Send a request through the proxy to compare its answers.</p>}
      <div class="past">
        {sorted.map((it) => (
          // It opens with its first difference.
          <Operation key={`${it.operation} ${it.same < it.calls}`} {...it} />
        ))}
      </div>
    </>
  )
}

/** Never 100 % if one differs. */
const shareOf = ({ calls, same }: Pick<Compared, 'calls' | 'same'>) =>
  calls === 0 ? '–' : `${Math.floor((same / calls) * 100)} %`

function Operation({ operation, calls, same, latest }: Compared) {
  const summary = (
    <>
      <b>{operation}</b> <span class={same < calls ? 'tag warn' : 'tag good'}>{shareOf({ calls, same })} the same</span>{' '}
      of {count(calls, 'call')}
    </>
  )
  return (
    <section class="card panel" aria-label={operation}>
      <Lazy summary={summary} isOpen={same < calls}>
        {() => latest.map((it, number) => <Call key={number} number={number + 1} {...it} />)}
      </Lazy>
    </section>
  )
}

/** A call: what differs between its two answers, and both in full. */
function Call({ number, request, service, mock, notes }: Compared['latest'][number] & { number: number }) {
  const apart = differences(service.body, mock.body)
  const [method = '', url = ''] = request.split(' ')
  return (
    <div class="compared">
      <p class="answer">
        <span class="method">{method}</span>
        <bdi class="code">{url}</bdi>
        <span class="quiet">
          service <Status status={service.status} /> mock <Status status={mock.status} />
        </span>
      </p>
      <Bullets texts={notes} />
      {apart.length > 0 && (
        <>
          <p class="quiet">{count(apart.length, 'difference')}: − the service, + the mock</p>
          <Diff list={apart.slice(0, 60)} label={`Differences ${number}`} sides={['service', 'mock']} />
        </>
      )}
      <Lazy summary={apart.length > 0 ? 'Both answers in full' : 'The answer'}>
        {() => (
          <div class="two">
            <JsonText label={`Answer ${number} of the service`} value={service.body} />
            {apart.length > 0 && <JsonText label={`Answer ${number} of the mock`} value={mock.body} />}
          </div>
        )}
      </Lazy>
    </div>
  )
}
