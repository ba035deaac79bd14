import { signal } from '@preact/signals'
import type { ShadowReport } from '../../engine/contract/types.gen.js'
import { call, useLoad } from './client.js'
import { Head, Loaded } from './parts/page.js'
import { count } from './parts/text.js'

type Compared = ShadowReport['operations'][number]
type Answer = Compared['latest'][number]['service']

/** Whether the mock follows a service. */
export const isShadowing = signal(false)

export function useShadow(): void {
  useLoad(async () => {
    isShadowing.value = (await call('getShadow')).url !== null
  }, 'follows a service')
}

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
  const calls = operations.reduce((sum, it) => sum + it.calls, 0)
  const same = operations.reduce((sum, it) => sum + it.same, 0)
  if (url === null) return <p>The mock follows no service: see proxy --shadow in the help.</p>
  return (
    <>
      <p>
        {count(calls, 'call')} of <code>{url}</code> compared, {shareOf({ calls, same })} the same.
      </p>
      {[...operations]
        .sort((a, b) => a.same / a.calls - b.same / b.calls)
        .map((it) => (
          <Operation key={it.operation} {...it} />
        ))}
    </>
  )
}

/** Never 100 % if one differs. */
const shareOf = ({ calls, same }: Pick<Compared, 'calls' | 'same'>) =>
  calls === 0 ? '–' : `${Math.floor((same / calls) * 100)} %`

function Operation({ latest, ...it }: Compared) {
  return (
    <details>
      <summary>
        <code>{it.operation}</code> <span class={it.same < it.calls ? 'tag warn' : 'tag good'}>{shareOf(it)}</span>{' '}
        <span class="quiet">of {count(it.calls, 'call')}</span>
      </summary>
      {latest.map(({ request, service, mock, notes }, number) => (
        <section key={number}>
          <h3>
            <code>{request}</code>
          </h3>
          {notes.length > 0 && <p>{notes.join('; ')}</p>}
          <div class="two">
            <Side title="Service" answer={service} />
            <Side title="Mock" answer={mock} />
          </div>
        </section>
      ))}
    </details>
  )
}

function Side({ title, answer: { status, body } }: { title: string; answer: Answer }) {
  return (
    <section>
      <h4>
        {title} {status}
      </h4>
      <pre class="others">{body === undefined ? '' : JSON.stringify(body, null, 2)}</pre>
    </section>
  )
}
