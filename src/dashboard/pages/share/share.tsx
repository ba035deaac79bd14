import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Call, JournalDetail, Operations, ScenarioStep } from '../../../engine/contract/types.gen.js'
import { isInBrowser } from '../api.js'
import { call, useCall } from '../client.js'
import { callOf, isHidden, isUpload, type Outgoing, outgoingOf, whyNoReplay } from '../outgoing/outgoing.js'
import { samples } from '../outgoing/send.js'
import { Button, Copy, DialogButton, save, saveJson } from '../parts/actions.js'
import { SelectField } from '../parts/fields.js'
import { count } from '../parts/text.js'
import type { Query } from '../requests/query.js'
import { route } from '../route.js'
import { inThrowAway } from '../undo.js'
import { differenceFrom, expectedOf, fileOf, runners, type Style, testOf, testOfAll, waysTo } from './as-test.js'

export function ShareExchange({ exchange }: { exchange: JournalDetail }) {
  return (
    <DialogButton text="Share this…" title={`Share ${exchange.id}`} class="wide" end="Close">
      <Ways exchange={exchange} />
    </DialogButton>
  )
}

function Ways({ exchange }: { exchange: JournalDetail }) {
  const { value } = useCall('listOperations')
  const path = value?.operations.find(({ id }) => id === exchange.operation)?.path
  const run = async () => {
    const tried = await tryExchange(exchange)
    const steps = tried.scenario.steps.filter(({ clock }) => clock === undefined).length
    return { steps, write: (style: Style) => testOf(exchange, tried, style) }
  }
  return (
    <>
      <TestOffer name={`${exchange.operation ?? 'request'}-${exchange.id}`} run={run} />
      <Offer
        title="As a request"
        note={isHidden(exchange) && 'What the journal hides is copied as ***.'}
        content={<Samples outgoing={outgoingOf(exchange)} path={path} />}
      />
      <SaveHar name={`${route.value.sandbox}-${exchange.id}`} query={{ id: exchange.id }} what="This exchange" />
    </>
  )
}

const chosenSample = signal('curl')

/** A request as code, in the language that was chosen last. A request without an operation has no path. */
export function Samples({ outgoing, path }: { outgoing: Outgoing; path: string | undefined }) {
  const isPossible = (name: string) => (isInBrowser ? name === 'fetch' : path !== undefined || name !== 'openapi-fetch')
  const all = Object.entries(samples).filter(([name]) => isPossible(name))
  const [name, write] = all.find(([name]) => name === chosenSample.value) ?? (all[0] as (typeof all)[number])
  const text = write(outgoing, route.value.sandbox, path ?? '')
  return (
    <section class="sample panel" aria-label="Sample">
      <div class="tabs">
        {all.map(([it]) => (
          <Button
            key={it}
            text={it}
            aria-pressed={it === name}
            run={() => {
              chosenSample.value = it
            }}
          />
        ))}
        <Copy name={name} text={() => text} label="Copy" />
      </div>
      {isInBrowser && (
        <p class="quiet">
          This mock runs in your browser only, where no other program reaches it. Run this in the console of this page.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what has the focus */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  )
}

const capsuleNote =
  'A scenario that leads from the start to now, in any mock: for a bug report, a demo or a test. It has no secrets.'

export function ShareJournal({ query = {} }: { query?: Query }) {
  const { sandbox } = route.value
  const isFiltered = Object.keys(query).length > 0
  const saveCapsule = async () => {
    const capsule = await call('getCapsule')
    saveJson(`${capsule.name}.json`, capsule)
    return `${count(capsule.steps.length, 'step')} saved as ${capsule.name}.json.`
  }
  const run = async () => {
    const { description: _, ...scenario } = await call('getCapsule', { query: { uploads: 'whole' } })
    await inThrowAway((sandbox) => call('playGiven', { body: scenario }, sandbox))
    return { steps: scenario.steps.length, write: (style: Style) => testOfAll(scenario, style) }
  }
  return (
    <DialogButton text="Share…" title={`Share what happened in ${sandbox}`} class="wide" end="Close">
      <Offer title="As a capsule" note={capsuleNote}>
        <Button text="Save the capsule" run={saveCapsule} />
      </Offer>
      <TestOffer name={`capsule-${sandbox}`} run={run} />
      <SaveHar
        name={sandbox}
        query={query as never}
        what={isFiltered ? 'The exchanges that the filter shows' : 'All exchanges of the journal'}
      />
    </DialogButton>
  )
}

interface OfferProps {
  title: string
  note?: string | false
  content?: ComponentChildren
  children?: ComponentChildren
}

function Offer({ title, note, content, children }: OfferProps) {
  return (
    <section class="offer" aria-label={title}>
      <h3>{title}</h3>
      {note && <p class="quiet">{note}</p>}
      {content}
      <div class="buttons">{children}</div>
    </section>
  )
}

type HarProps = { name: string; query: Operations['getHar']['input']['query']; what: string }

function SaveHar({ name, query, what }: HarProps) {
  const run = async () => {
    const har = await call('getHar', { query })
    saveJson(`${name}.har`, har)
    return `${count(har.log.entries.length, 'exchange')} saved as ${name}.har.`
  }
  const note = `${what}, without secrets, for the network panel of a browser or Playwright's routeFromHAR.`
  return (
    <Offer title="As HAR" note={note}>
      <Button text={`Save ${name}.har`} run={run} />
    </Offer>
  )
}

interface Run {
  /** How many steps lead to the state. */
  steps: number
  write: (style: Style) => string
}

const styleKey = 'test-style'

/** Runs a test in a throw-away sandbox, and offers its text if every expectation is met. */
function TestOffer({ name, run }: { name: string; run: () => Promise<Run> }) {
  const [style, setStyle] = useState(() => (localStorage.getItem(styleKey) ?? 'Jest ESM').split(' '))
  const [runner = '', modules = ''] = style
  const [result, setResult] = useState<Run | Error>()
  useEffect(() => {
    run().then(setResult, setResult)
  }, [])
  const choose = (...next: string[]) => {
    setStyle(next)
    localStorage.setItem(styleKey, next.join(' '))
  }
  const passed = result instanceof Error ? undefined : result
  const { value } = useCall('listOperations')
  const documents = [...new Set(value?.operations.flatMap(({ document }) => document ?? []))]
  const text = passed && value ? passed.write({ runner, modules, documents }) : undefined
  const file = fileOf(name, { runner, modules })
  const offer = (
    <>
      <div class="line">
        <SelectField
          label="Runner"
          value={runner}
          onChange={(next) => choose(next, next === 'Vitest' ? 'ESM' : modules)}
          options={Object.keys(runners)}
        />
        <SelectField
          label="Modules"
          value={modules}
          onChange={(next) => choose(runner, next)}
          options={runner === 'Vitest' ? ['ESM'] : ['ESM', 'CommonJS']}
        />
      </div>
      <div class={`verdict ${result === undefined ? '' : passed ? 'is-good' : 'is-bad'}`} role="status">
        {result === undefined && <p>Running it in a temporary sandbox…</p>}
        {passed && (
          <p>
            It was run in a temporary sandbox, and every expectation was met. It begins with the recorded state
            {passed.steps > 0 && `, after ${count(passed.steps, 'step')}`}.
          </p>
        )}
        {result instanceof Error && <p>It is not offered, because it failed: {result.message}</p>}
        {passed && documents.length > 0 && <p>The mock has documents of yours: pass their paths to startMock.</p>}
      </div>
      {text !== undefined && (
        <textarea class="code" readOnly rows={12} spellcheck={false} aria-label="The test" value={text} />
      )}
    </>
  )
  return (
    <Offer title="As a test" content={offer}>
      {text !== undefined && <Copy name="test" text={() => text} />}
      {text !== undefined && <Button text={`Save ${file}`} run={() => save(file, text, 'text/javascript')} />}
    </Offer>
  )
}

/** Runs the test of an exchange in a throw-away sandbox. Throws an error that says what failed. */
async function tryExchange(exchange: JournalDetail) {
  const isForm = isUpload(exchange.request)
  const reason = isForm ? undefined : whyNoReplay(exchange)
  if (reason !== undefined) throw new Error(reason.replace('replayed', 'a test'))
  const [capsule, { requests }] = await Promise.all([
    call('getCapsule', { query: { uploads: 'whole', exchange: exchange.id } }),
    call('listRequests', { query: { limit: 10_000 } })
  ])
  const expected = expectedOf(exchange)
  let difference = ''
  for (const moment of waysTo(capsule, exchange, requests)) {
    const sent = isForm ? uploadOf(moment.own) : callOf(outgoingOf(exchange))
    const problem = await inThrowAway(async (sandbox) => {
      await call('playGiven', { body: moment.scenario }, sandbox)
      return differenceFrom(expected, await call('callOperation', { body: sent }, sandbox))
    }).catch((error: Error) => error.message)
    const form = isForm ? (sent.body as Record<string, unknown>) : undefined
    if (problem === undefined) return { scenario: moment.scenario, expected, form }
    difference = problem
  }
  throw new Error(difference)
}

function uploadOf(own: ScenarioStep['call']): Call {
  if (!own?.body) throw new Error('The mock no longer has the files.')
  const { expect: _, ...call } = own as Call & { expect?: unknown }
  return call
}
