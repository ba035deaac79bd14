import { useState } from 'preact/hooks'
import type { AssumptionEntry, Coverage } from '../../engine/contract/types.gen.js'
import { useCall, useLoad } from './client.js'
import { readOperations } from './operations.js'
import { Button, sayFailed } from './parts/actions.js'
import { Check, Options, TextForm } from './parts/fields.js'
import { Head, Loaded, Menu, Search } from './parts/page.js'
import { count, Terms } from './parts/text.js'
import { queryText } from './requests/query.js'
import { Timeline } from './ribbon/ribbon.js'
import { atMoment, href, route, setQuery } from './route.js'
import { worded } from './state/labels.js'
import { undoable } from './undo.js'

export function Assumptions() {
  const then = atMoment()
  const ledger = useCall('getAssumptions', { query: then })
  const coverage = useCall('getCoverage', { query: then }, { live: true })
  const { query } = route.value
  const q = query.get('q') ?? ''
  const of = query.get('of') ?? undefined
  const operations = useLoad(async () => (of === undefined ? [] : readOperations()), `${of}`).value
  const assumed = operations?.find(({ id }) => id === of)?.assumed
  const area = query.get('area') ?? undefined
  const isOn = (filter: string) => query.get(filter) === 'true'
  const uses = new Map(coverage.value?.assumptions.map((use) => [use.id, use]))
  const all = (profile: 'documented' | 'observed') => () => {
    const switchable = (ledger.value?.assumptions ?? []).filter(({ fixed }) => !fixed)
    const body = Object.fromEntries(switchable.map(({ id }) => [id, profile]))
    return undoable('changeAssumptions', { body }, `All choices are those of ${profile}.`)
  }
  const matching = (ledger.value?.assumptions ?? []).filter(
    ({ id, question, choice, default: documented }) =>
      `${id} ${question}`.toLowerCase().includes(q.toLowerCase()) &&
      (!isOn('used') || uses.has(id)) &&
      (!isOn('changed') || choice !== documented) &&
      (of === undefined || assumed?.includes(id))
  )
  // The ledger of another API may have no areas: then the first words of the ids are used.
  const groups = [...Map.groupBy(matching, ({ area, id }) => area ?? worded(id.split('.')[0] as string))]
  const shown = groups.filter(([name]) => area === undefined || name === area)
  const link = (text: string, name: string | undefined, count: number) => {
    const address = href('assumptions', [], { ...Object.fromEntries(query), area: name })
    return { text, href: address, isCurrent: area === name, count }
  }
  const filter = (name: string, label: string) => (
    <Check isOn={isOn(name)} onChange={(isOn) => setQuery({ [name]: isOn ? 'true' : undefined })}>
      {label}
    </Check>
  )
  return (
    <>
      <Head title="Assumptions">
        {then.at === undefined && (
          <div class="buttons">
            <Button text="All as documented" run={all('documented')} disabled={!ledger.value} />
            <Button text="All as observed" run={all('observed')} disabled={!ledger.value} />
          </div>
        )}
      </Head>
      <Timeline />
      <search class="filters">
        <Search />
        {filter('used', 'Used')}
        {filter('changed', 'Not the default')}
        <p class="quiet" aria-live="polite">
          {ledger.value && count(shown.flatMap(([, entries]) => entries).length, 'assumption')}
        </p>
        {of !== undefined && <Button text={`Those of ${of} ×`} run={() => setQuery({ of: undefined })} />}
      </search>
      <Loaded from={ledger}>
        {() => (
          <div class="sides">
            <Menu
              label="Areas"
              class="collections"
              links={[
                link('All', undefined, matching.length),
                ...groups.map(([name, { length }]) => link(name, name, length))
              ]}
            />
            <div class="content">
              {shown.map(([name, entries]) => (
                <section key={name} aria-label={name}>
                  <h2>{name}</h2>
                  <ul class="ledger panel">
                    {entries.map((entry) => (
                      <Entry key={entry.id} entry={entry} use={uses.get(entry.id)} />
                    ))}
                  </ul>
                </section>
              ))}
              {shown.length === 0 && <p class="empty">No assumption matches.</p>}
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

type Use = Coverage['assumptions'][number]

function Entry({ entry, use }: { entry: AssumptionEntry; use: Use | undefined }) {
  const { id, question, choices, choice, default: documented, reason, place } = entry
  return (
    <li>
      <div>
        <h3>{question}</h3>
        <p>{choices[choice]}</p>
        <div class="about">
          <p class="quiet">
            <code>{id}</code> · {place.join(', ')}
            {use && ` · Used ${count(use.uses, 'time')} by`}
            {use?.operations.map((operation, at) => (
              <span key={operation}>
                {at > 0 && ','}{' '}
                <a href={href('requests', [], { q: queryText({ assumed: id, op: operation }) })}>{operation}</a>
              </span>
            ))}
            {choice !== documented && <span class="tag accent">not the default</span>}
          </p>
          <details>
            <summary>Reason and other choices</summary>
            <p>{reason}</p>
            <Terms class="headers" list={Object.entries(choices)} value={(meaning) => meaning} />
          </details>
        </div>
      </div>
      <ChoiceInForce entry={entry} />
    </li>
  )
}

export function ChoiceInForce({ entry }: { entry: AssumptionEntry }) {
  const { id, choices, choice, default: documented, observed, fixed = false } = entry
  const isPast = atMoment().at !== undefined
  const change = (next: string) => undoable('changeAssumptions', { body: { [id]: next } }, `${id} is ${next}.`)
  const [, redraw] = useState({})
  // What was refused is not shown as the choice.
  const choose = (next: string) =>
    change(next)
      .catch(sayFailed)
      .then(() => redraw({}))
  // A choice such as after-<n>-reads means many.
  const names = Object.keys(choices)
  const patterns = names.filter((name) => name.includes('<'))
  const exact = new Set([...names.filter((name) => !patterns.includes(name)), choice])
  const remarkOf = (name: string) => (name === documented ? ' (documented)' : name === observed ? ' (observed)' : '')
  return (
    <div class="line">
      <select
        value={choice}
        disabled={fixed || isPast}
        onChange={(event) => void choose(event.currentTarget.value)}
        aria-label={`Choice for ${id}`}
      >
        <Options options={[...exact].map((name) => [name, name + remarkOf(name)])} />
      </select>
      {!isPast &&
        patterns.map((pattern) => (
          <TextForm key={pattern} label={`Or ${pattern}`} verb="Set" about={`${id} to ${pattern}`} run={change} />
        ))}
    </div>
  )
}
