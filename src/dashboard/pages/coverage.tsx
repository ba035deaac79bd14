import type { Coverage as CoverageReply } from '../../engine/contract/types.gen.js'
import { useCall } from './load.js'
import { Head, Pending, Scroll } from './parts/page.js'
import { save, saveJson } from './parts/save.js'
import { count } from './parts/text.js'
import { queryText } from './requests/query.js'
import { Timeline } from './ribbon/timeline.js'
import { atMoment, href, route } from './route.js'

type Operation = CoverageReply['operations'][number]
type SeenStatus = Operation['statuses'][number]

/** The operations and statuses that the sandbox's clients have seen, violations first. */
export function Coverage() {
  const query = atMoment()
  const loaded = useCall('getCoverage', { query }, { live: true })
  const { value } = loaded
  if (!value) {
    return (
      <>
        <Head title="Coverage" />
        {query.at !== undefined && <Timeline />}
        <Pending loaded={loaded} />
      </>
    )
  }
  const { summary, unknown } = value
  const operations = [...value.operations].sort((a, b) => violationsOf(b) - violationsOf(a))
  const statuses = [...new Set(operations.flatMap((it) => it.statuses.map(({ status }) => status)))].sort(
    (a, b) => a - b
  )
  const name = `coverage-${route.value.sandbox}`
  return (
    <>
      <Head title="Coverage">
        <div class="buttons">
          <button type="button" onClick={() => saveJson(`${name}.json`, value)}>
            Export JSON
          </button>
          <button type="button" onClick={() => save(`${name}.csv`, csvOf(operations), 'text/csv')}>
            Export CSV
          </button>
        </div>
      </Head>
      <Timeline />
      <p>
        {summary.covered} of {count(summary.operations, 'operation')} used,{' '}
        <span class={summary.violations > 0 ? 'tag bad' : 'tag good'}>{count(summary.violations, 'violation')}</span>
      </p>
      <Scroll label="Coverage grid">
        <table class="grid">
          <caption class="hidden">Operations by status: how often each was seen</caption>
          <thead>
            <tr>
              <th scope="col">Operation</th>
              {statuses.map((status) => (
                <th key={status} scope="col">
                  {status}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {operations.map((operation) => (
              <tr key={operation.operation} class={operation.label === 'covered' ? undefined : 'unused'}>
                <th scope="row">
                  <span class="quiet number">{operation.code}</span> {operation.operation}
                </th>
                {statuses.map((status) => (
                  <td key={status}>
                    <Cell operation={operation} seen={operation.statuses.find((it) => it.status === status)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="quiet">A number: so often seen. A dot: in the contract, not seen. Empty: not in the contract.</p>
      {unknown.length > 0 && (
        <>
          <h2>Asked for, and no operation</h2>
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
      )}
    </>
  )
}

function Cell({ operation: { operation }, seen }: { operation: Operation; seen: SeenStatus | undefined }) {
  if (!seen) return null
  if (seen.seen === 0) {
    return (
      <span class="quiet">
        <span aria-hidden="true">·</span>
        <span class="hidden">not seen</span>
      </span>
    )
  }
  const { status, violations, documented } = seen
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

function violationsOf({ statuses }: Operation): number {
  return statuses.reduce((sum, { violations }) => sum + violations, 0)
}

function csvOf(operations: Operation[]): string {
  const lines = operations.flatMap(({ code, operation, method, path, statuses }) =>
    statuses.map((it) => [code, operation, method, path, it.status, it.documented, it.seen, it.violations].join(','))
  )
  return `${['code,operation,method,path,status,documented,seen,violations', ...lines].join('\r\n')}\r\n`
}
