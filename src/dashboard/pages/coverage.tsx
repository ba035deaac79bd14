import type { Coverage as CoverageReply } from '../../engine/contract/types.gen.js'
import { useCall } from './client.js'
import { Button, save, saveJson } from './parts/actions.js'
import { Head, Loaded, Table } from './parts/page.js'
import { count } from './parts/text.js'
import { queryText } from './requests/query.js'
import { Timeline } from './ribbon/ribbon.js'
import { atMoment, href, route } from './route.js'

type Operation = CoverageReply['operations'][number]

export function Coverage() {
  const loaded = useCall('getCoverage', { query: atMoment() }, { live: true })
  const { value } = loaded
  const name = `coverage-${route.value.sandbox}`
  return (
    <>
      <Head title="Coverage">
        {value && (
          <div class="buttons">
            <Button text="Export JSON" run={() => saveJson(`${name}.json`, value)} />
            <Button text="Export CSV" run={() => save(`${name}.csv`, csvOf(sorted(value)), 'text/csv')} />
          </div>
        )}
      </Head>
      <Timeline />
      <Loaded from={loaded}>{(coverage) => <Shown {...coverage} />}</Loaded>
    </>
  )
}

function Shown(coverage: CoverageReply) {
  const { summary, unknown } = coverage
  const operations = sorted(coverage)
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
        class="narrow grid"
        items={operations}
        keyOf={({ operation }) => operation}
        rowClass={({ label }) => (label === 'covered' ? undefined : 'unused')}
        columns={{
          Operation: ({ code, operation }) => (
            <>
              <span class="quiet number">{code}</span> {operation}
            </>
          ),
          ...Object.fromEntries(columns)
        }}
      />
      <p class="quiet">
        A number: how often it was seen. A dot: in the contract, but not seen. Empty: not in the contract.
      </p>
      {unknown.length > 0 && <h2>Requests without an operation</h2>}
      <ul>
        {unknown.map(({ method, path, seen }) => (
          <li key={`${method} ${path}`}>
            <a href={href('requests', [], { q: `unmatched:true ${path}` })}>
              <span class="method">{method}</span> <bdi>{path}</bdi>
            </a>{' '}
            <span class="quiet">{count(seen, 'time')}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function sorted({ operations }: CoverageReply): Operation[] {
  const violationsOf = ({ statuses }: Operation) => statuses.reduce((sum, { violations }) => sum + violations, 0)
  return [...operations].sort((a, b) => violationsOf(b) - violationsOf(a))
}

function Cell({ operation: { operation, statuses }, status }: { operation: Operation; status: number }) {
  const seen = statuses.find((it) => it.status === status)
  if (!seen) return null
  if (seen.seen === 0) {
    return (
      <span class="quiet">
        <span aria-hidden="true">·</span>
        <span class="hidden">not seen</span>
      </span>
    )
  }
  const { violations, documented } = seen
  return (
    <a
      class={violations > 0 ? 'seen bad' : documented ? 'seen good' : 'seen warn'}
      href={href('requests', [], { q: queryText({ op: operation, status }) })}
    >
      {seen.seen}
      {violations > 0 && ` (${count(violations, 'violation')})`}
      {!documented && ' (not in the contract)'}
    </a>
  )
}

function csvOf(operations: Operation[]): string {
  const lines = operations.flatMap(({ code, operation, method, path, statuses }) =>
    statuses.map((it) => [code, operation, method, path, it.status, it.documented, it.seen, it.violations].join(','))
  )
  return `${['code,operation,method,path,status,documented,seen,violations', ...lines].join('\r\n')}\r\n`
}
