import type { JournalDetail, Touch } from '../../../contract/types.gen.js'
import { milliseconds } from '../parts/time.js'
import { href } from '../route.js'

/** How the answer was made: rows, assumptions, timing. */
export function Workings({ exchange }: { exchange: JournalDetail }) {
  const { reads, writes, rests_on, timing } = exchange
  return (
    <section aria-label="How it came about">
      <h3>How it came about</h3>
      <dl class="facts">
        <dt>Rows read</dt>
        <dd>
          <Rows touches={reads} />
        </dd>
        <dt>Rows written</dt>
        <dd>
          <Rows touches={writes} />
        </dd>
        <dt>Rests on</dt>
        <dd>
          {rests_on.length === 0 && <span class="quiet">the description alone</span>}
          <ul>
            {rests_on.map(({ id, question, choice }) => (
              <li key={id}>
                <a href={href('assumptions', [], { q: id })}>{id}</a> is {choice}
                <span class="quiet"> {question}</span>
              </li>
            ))}
          </ul>
        </dd>
        <dt>Timing</dt>
        <dd>
          <ul class="inline number">
            {Object.entries(timing).map(([step, took]) => (
              <li key={step}>
                {step} {milliseconds(took)}
              </li>
            ))}
          </ul>
        </dd>
      </dl>
    </section>
  )
}

function Rows({ touches }: { touches: Touch[] }) {
  const once = new Map(touches.map((touch) => [`${touch.collection} ${touch.id}`, touch]))
  if (once.size === 0) return <span class="quiet">none</span>
  return (
    <ul class="inline">
      {[...once].map(([name, { collection, id }]) => (
        <li key={name}>
          <a href={href('state', [collection, id])}>
            {collection} {typeof id === 'string' ? id.slice(0, 8) : id}
          </a>
        </li>
      ))}
    </ul>
  )
}
