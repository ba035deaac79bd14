import type { Lifecycle, ListLifecyclesReply, Operations } from '../../engine/contract/types.gen.js'
import { useCall } from './client.js'
import { Button, sayFailed } from './parts/actions.js'
import { SelectField, TextForm } from './parts/fields.js'
import { Head, Loaded, Table } from './parts/page.js'
import { count, duration, Moment, mockTime, Short } from './parts/text.js'
import { Timeline } from './ribbon/ribbon.js'
import { atMoment, href } from './route.js'
import { rowLabel } from './state/labels.js'
import { undoable } from './undo.js'

const change = (body: Operations['setClock']['input']['body']) =>
  undoable('setClock', { body }, ({ now }) => `The clock shows ${mockTime(now)}.`)

export function Clock() {
  const then = atMoment()
  const isPast = then.at !== undefined
  const every = isPast ? undefined : 1000
  const clock = useCall('getClock', { query: then }, { every })
  const lifecycles = useCall('listLifecycles', { query: { limit: 200, ...then } }, { every, live: true })
  return (
    <>
      <Head title="Clock" />
      <Timeline />
      <Loaded from={clock}>
        {({ now, speed }) => (
          <>
            <div class="clock panel">
              <p class="now">
                <time dateTime={now} class="number">
                  <span>{now.slice(0, 10)}</span> <span>{now.slice(11, 19)}</span>
                </time>
                <span class="quiet">
                  UTC, {speed === 0 ? 'stopped' : speed === 1 ? 'at the real speed' : `${speed} times as fast`}
                </span>
              </p>
              {!isPast && <Controls speed={speed} />}
            </div>
            <Loaded from={lifecycles}>{(list) => <Lifecycles {...list} isPast={isPast} />}</Loaded>
          </>
        )}
      </Loaded>
    </>
  )
}

const steps = ['1s', '10s', '1m', '1h', '1d', '1w']
const speeds = [
  ['0', 'Stopped'],
  ['1', 'Real time'],
  ['60', 'A minute per second'],
  ['3600', 'An hour per second']
] as const

function Controls({ speed }: { speed: number }) {
  const isUsual = speeds.some(([rate]) => rate === String(speed))
  return (
    <>
      <div class="line">
        <SelectField
          label="Speed"
          value={String(speed)}
          onChange={(rate) => void change({ speed: Number(rate) }).catch(sayFailed)}
          options={isUsual ? speeds : [...speeds, [String(speed), `${speed} times`]]}
        />
        <Button text={speed === 0 ? 'Run' : 'Stop'} run={() => change({ speed: speed === 0 ? 1 : 0 })} />
      </div>
      <fieldset class="steps">
        <legend>Advance by</legend>
        {steps.map((advance) => (
          <Button key={advance} text={advance} aria-label={`Advance by ${advance}`} run={() => change({ advance })} />
        ))}
      </fieldset>
      <TextForm label="Advance by (such as 1d 12h)" verb="Advance" run={(advance) => change({ advance })} />
      <TextForm label="Moment (ISO 8601), or now" verb="Set" run={(moment) => change({ now: moment })} />
    </>
  )
}

function Lifecycles({ now, lifecycles, total, isPast }: ListLifecyclesReply & { isPast: boolean }) {
  const until = (at: string) => Date.parse(at) - Date.parse(now)
  const first = lifecycles[0]?.at
  const when = ({ at, reads_left }: Lifecycle) => {
    if (reads_left !== undefined) return `after ${count(reads_left, 'more read')}`
    if (at === null) return <span class="quiet">only by hand</span>
    return (
      <>
        in <span class="number">{duration(until(at))}</span>{' '}
        <span class="quiet">
          (<Moment at={at} />)
        </span>
      </>
    )
  }
  return (
    <section aria-labelledby="lifecycles">
      <h2 id="lifecycles">Upcoming changes</h2>
      <div class="buttons">
        <p class="quiet">
          {count(total, 'row is', 'rows are')} in progress
          {lifecycles.length < total && `; the first ${lifecycles.length} shown`}.
        </p>
        {!isPast && first && (
          <Button text="Advance to the next change" run={() => change({ advance: Math.ceil(until(first)) })} />
        )}
      </div>
      <Table
        label="Lifecycles"
        caption="Rows in progress, the next to change first"
        items={lifecycles}
        keyOf={({ collection, id }) => `${collection} ${id}`}
        columns={{
          What: ({ collection, id }) => (
            <a class="number" href={href('state', [collection, id])}>
              {rowLabel(collection, id)}
            </a>
          ),
          Name: ({ name }) => <Short text={name} most={50} />,
          Status: ({ status }) => status,
          Next: ({ next }) => next ?? <span class="quiet">nothing</span>,
          When: when
        }}
      />
    </section>
  )
}
