import type { Coverage as CoverageReply } from '../../engine/contract/types.gen.js'
import { useCall } from './client.js'
import { Button, saveJson } from './parts/actions.js'
import { Head, Loaded, Table } from './parts/page.js'
import { count } from './parts/text.js'
import { queryText } from './requests/query.js'
import { Timeline } from './ribbon/ribbon.js'
import { atMoment, href, route } from './route.js'

type Operation = CoverageReply['operations'][number]

export function Coverage() {
  const loaded = useCall('getCoverage', { query: atMoment() }, { live: true })
  const { value } = loaded
  return (
    <>
      <Head title="Coverage">
        {value && <Button text="Save as JSON" run={() => saveJson(`coverage-${route.value.sandbox}.json`, value)} />}
      </Head>
      <Timeline />
      <Loaded from={loaded}>{(coverage) => <Shown {...coverage} />}</Loaded>
    </>
  )
}

function Shown(coverage: CoverageReply) {
  const { summary, unknown } = coverage
  const operations = coverage.operations.toSorted((a, b) => violationsOf(b) - violationsOf(a))
  const statuses = new Set(operations.flatMap((it) => it.statuses.map(({ status }) => status)))
  const columns = [...statuses]
    .sort((a, b) => a - b)
    .map((status) => [`${status}#`, (it: Operation) => <Cell operation={it} status={status} />] as const)
  return (
    <>
      <p>
        {summary.covered} of {count(summary.operations, 'operation')} used,{' '}
        <span class={summary.violations > 0 ? 'tag bad' : 'tag good'}>{count(summary.violations, 'violation')}</span>
      </p>
      <Table
        label="Coverage grid"
        caption="Operations by status: how often each was seen"
        class="grid"
        items={operations}
        keyOf={({ operation }) => operation}
        rowClass={({ label }) => (label === 'covered' ? undefined : 'unused')}
        columns={{
          Operation: ({ code, operation }) => (
            <>
              <span class="quiet number">{code}</span> {operation}
            </>
          ),
          Request: ({ method, path }) => `${method} ${path}`,
          ...Object.fromEntries(columns)
        }}
      />
      <p class="quiet">
        A number: how often it was seen; red with violations, yellow if not in the contract. A dot: in the contract, but
        not seen. Operations with violations come first.
      </p>
      <Unreal unknown={unknown} />
    </>
  )
}

/** What was asked for and is invented or unknown, most asked first, each with the step that makes it real. */
function Unreal({ unknown }: Pick<CoverageReply, 'unknown'>) {
  const { value } = useCall('listRequests', { query: { source: 'invented', limit: 10_000 } }, { live: true })
  const invented = [...Map.groupBy(value?.requests ?? [], ({ operation }) => String(operation))].map(([name, all]) => {
    const step = `Invented: give ${name} a rule in rules.js, x-mock: { collection } in the overlay, or an example in the document.`
    const call = `${all[0]?.method} ${all[0]?.url.split('?')[0]}`
    return { call, seen: all.length, q: queryText({ op: name, source: 'invented' }), step }
  })
  const others = unknown.map(({ method, path, seen }) => {
    const step = 'Unknown: add it to the document of --with, or let a service answer it with --fallback.'
    return { call: `${method} ${path}`, seen, q: `unmatched:true ${path}`, step }
  })
  const rows = [...invented, ...others].sort((a, b) => b.seen - a.seen)
  if (rows.length === 0) return null
  return (
    <>
      <h2>Invented and unknown answers</h2>
      <Table
        label="Invented and unknown answers"
        class="narrow"
        items={rows}
        keyOf={({ call }) => call}
        columns={{
          Request: ({ call, q }) => (
            <a href={href('requests', [], { q })}>
              <bdi>{call}</bdi>
            </a>
          ),
          'Asked#': ({ seen }) => seen,
          'What makes it real': ({ step }) => step
        }}
      />
    </>
  )
}

const violationsOf = ({ statuses }: Operation) => statuses.reduce((sum, { violations }) => sum + violations, 0)

function Cell({ operation: { operation, statuses }, status }: { operation: Operation; status: number }) {
  const cell = statuses.find((it) => it.status === status)
  if (!cell) return null
  if (cell.seen === 0) {
    return (
      <span class="quiet">
        <span aria-hidden="true">·</span>
        <span class="hidden">not seen</span>
      </span>
    )
  }
  const { violations, documented } = cell
  const problems = [violations > 0 && count(violations, 'violation'), !documented && 'not in the contract']
  const remark = problems.filter(Boolean).join(', ')
  return (
    <a
      title={remark}
      class={violations > 0 ? 'seen bad' : documented ? 'seen good' : 'seen warn'}
      href={href('requests', [], { q: queryText({ op: operation, status }) })}
    >
      {cell.seen}
      {remark !== '' && <span class="hidden"> ({remark})</span>}
    </a>
  )
}
