import type { Lifecycle, ListLifecyclesReply, Operations } from '../../../engine/contract/types.gen.js'
import type { LoadState } from '../load.js'
import { useCall } from '../load.js'
import { Action } from '../parts/action.js'
import { LineSelect } from '../parts/line.js'
import { Head, Pending } from '../parts/page.js'
import { Table } from '../parts/table.js'
import { count, Short } from '../parts/text.js'
import { TextForm } from '../parts/text-form.js'
import { duration, Moment, mockTime } from '../parts/time.js'
import { sayFailed } from '../parts/toasts.js'
import { Timeline } from '../ribbon/timeline.js'
import { atMoment, href } from '../route.js'
import { undoable } from '../undo/undo.js'

interface Props {
  loaded: LoadState<ListLifecyclesReply>
  /** Advances the clock by milliseconds. Undefined: they are those of an earlier moment. */
  advance: ((milliseconds: number) => Promise<void>) | undefined
}

const kinds = { userFiles: 'File', indexAttempts: 'Index attempt' }

/** Files and index attempts in progress, next change first. */
function Lifecycles({ loaded, advance }: Props) {
  const { value } = loaded
  if (!value) return <Pending loaded={loaded} />
  const { now, lifecycles, total } = value
  const until = (at: string) => Date.parse(at) - Date.parse(now)
  const first = lifecycles[0]?.at ?? undefined
  return (
    <section aria-labelledby="lifecycles">
      <h2 id="lifecycles">What moves with it</h2>
      <div class="buttons">
        <p class="quiet">
          {count(total, 'file or index attempt is', 'files and index attempts are')} not at{' '}
          {total === 1 ? 'its' : 'their'} end
          {lifecycles.length < total && `; the first ${lifecycles.length} shown`}.
        </p>
        {advance && first !== undefined && (
          <Action run={() => advance(Math.ceil(until(first)))}>Advance to the next move</Action>
        )}
      </div>
      <Table
        label="Lifecycles"
        caption="Files and index attempts, the next to move first"
        columns={['What', 'Name', 'Stands', 'Moves to', 'When']}
      >
        {lifecycles.map((it) => (
          <tr key={`${it.collection} ${it.id}`}>
            <th scope="row" class="number">
              <a href={href('state', [it.collection, it.id])}>
                {kinds[it.collection]} {String(it.id).slice(0, 8)}
              </a>
            </th>
            <td>
              <Short text={it.name} most={50} />
            </td>
            <td>{it.status}</td>
            <td>{it.next ?? <span class="quiet">nothing</span>}</td>
            <td>
              <When lifecycle={it} until={until} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function When({ lifecycle: { at, reads_left }, until }: { lifecycle: Lifecycle; until: (at: string) => number }) {
  if (reads_left !== undefined) return <>after {count(reads_left, 'more read')}</>
  if (at === null) return <span class="quiet">never by itself</span>
  return (
    <>
      in <span class="number">{duration(until(at))}</span>{' '}
      <span class="quiet">
        (<Moment at={at} />)
      </span>
    </>
  )
}

type ClockSetting = Operations['setClock']['input']['body']

const steps = ['1s', '10s', '1m', '1h', '1d', '1w']
const speeds = [
  ['0', 'Stands still'],
  ['1', 'Real time'],
  ['60', 'A minute a second'],
  ['3600', 'An hour a second']
] as const

/** The sandbox's time, and the rows that change with it. */
export function Clock() {
  const then = atMoment()
  const isPast = then.at !== undefined
  const often = isPast ? {} : { every: 1000 }
  const clock = useCall('getClock', { query: then }, often)
  const lifecycles = useCall('listLifecycles', { query: { limit: 200, ...then } }, { ...often, live: true })
  const change = async (body: ClockSetting) => {
    await undoable('setClock', { body }, ({ now }) => `The clock shows ${mockTime(now)}.`)
    await Promise.all([clock.reload(), lifecycles.reload()])
  }
  const advance = (milliseconds: number) => change({ advance: milliseconds })
  return (
    <>
      <Head title="Clock" />
      <Timeline />
      {clock.value ? (
        <>
          <div class="clock panel">
            <Now {...clock.value} />
            {!isPast && <Controls speed={clock.value.speed} change={change} />}
          </div>
          <Lifecycles loaded={lifecycles} advance={isPast ? undefined : advance} />
        </>
      ) : (
        <Pending loaded={clock} />
      )}
    </>
  )
}

function Now({ now, speed }: { now: string; speed: number }) {
  return (
    <p class="now">
      <time dateTime={now} class="number">
        <span>{now.slice(0, 10)}</span> <span>{now.slice(11, 19)}</span>
      </time>
      <span class="quiet">
        UTC, {speed === 0 ? 'standing still' : speed === 1 ? 'at the real speed' : `${speed} times as fast`}
      </span>
    </p>
  )
}

/** The controls of the clock. */
function Controls({ speed, change }: { speed: number; change: (body: ClockSetting) => Promise<void> }) {
  const isUsual = speeds.some(([rate]) => rate === String(speed))
  return (
    <>
      <div class="line">
        <LineSelect
          label="Speed"
          value={String(speed)}
          onChange={(rate) => void change({ speed: Number(rate) }).catch(sayFailed)}
          options={isUsual ? speeds : [...speeds, [String(speed), `${speed} times`]]}
        />
        <Action run={() => change({ speed: speed === 0 ? 1 : 0 })}>{speed === 0 ? 'Run' : 'Freeze'}</Action>
      </div>
      <fieldset class="steps">
        <legend>Advance by</legend>
        {steps.map((advance) => (
          <Action key={advance} label={`Advance by ${advance}`} run={() => change({ advance })}>
            {advance}
          </Action>
        ))}
      </fieldset>
      <TextForm label="Advance by (such as 1d 12h)" verb="Advance" run={(advance) => change({ advance })} />
      <TextForm label="Moment (ISO 8601), or now" verb="Set" run={(moment) => change({ now: moment })} />
    </>
  )
}
