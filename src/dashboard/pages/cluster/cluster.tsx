import { useRef } from 'preact/hooks'
import type { Cluster as ClusterReply } from '../../../engine/contract/types.gen.js'
import { call, send } from '../client.js'
import { useLoad } from '../load.js'
import { Head, Pending } from '../parts/page.js'
import { Table } from '../parts/table.js'
import { count } from '../parts/text.js'
import { duration, Moment } from '../parts/time.js'

/** A number from the metrics of the processes. */
interface Figure {
  /** The name of the metric. */
  name: string
  label: string
  /** The value of each process, and under "" the value of none of them. */
  texts: Map<string, string>
}

const shown =
  /^(kcm_(?!info|process_answers)|process_cpu_seconds_total|process_resident_memory_bytes|nodejs_heap_size_used_bytes|nodejs_eventloop_lag_p99_seconds)/
const sample = /^([a-z_0-9]+)(?:\{node="([^"]*)"\})? (\S+)$/

/** The numbers in a text in the format of Prometheus that have one value per process. */
function figuresIn(metrics: string): Figure[] {
  const figures = new Map<string, Figure>()
  for (const line of metrics.split('\n')) {
    const help = /^# HELP (\S+) (.*)$/.exec(line)
    if (help) {
      const [, name = '', label = ''] = help
      if (shown.test(name)) figures.set(name, { name, label: label.replace(/\.$/, ''), texts: new Map() })
      continue
    }
    const [, name = '', node = '', value] = sample.exec(line) ?? []
    figures.get(name)?.texts.set(node, textOf(name, Number(value)))
  }
  return [...figures.values()].filter(({ texts }) => texts.size > 0)
}

function textOf(name: string, value: number): string {
  if (name.endsWith('_bytes')) return `${(value / 1e6).toFixed(1)} MB`
  if (/_seconds(_total)?$/.test(name)) return value === 0 ? '0 ms' : duration(value * 1000)
  return value.toLocaleString('en')
}

type Process = ClusterReply['nodes'][number]

/** The processes that share the state, and their metrics. */
export function Cluster() {
  /** All processes that were there since the page was opened. */
  const seen = useRef(new Map<string, Process>())
  const loaded = useLoad(
    async () => {
      const [cluster, metrics] = await Promise.all([call('getCluster'), send('getMetrics')])
      for (const process of cluster.nodes) seen.current.set(process.node, process)
      return { cluster, figures: figuresIn(await metrics.text()) }
    },
    'cluster',
    { every: 2000 }
  )
  const { value } = loaded
  return (
    <>
      <Head title="Cluster" />
      {value ? <Shown {...value} seen={[...seen.current.values()]} /> : <Pending loaded={loaded} />}
    </>
  )
}

function Shown({ cluster, figures, seen }: { cluster: ClusterReply; figures: Figure[]; seen: Process[] }) {
  const { engine, nodes, lost_entries = 0, problem = null, emptied_at = null, lost_sandboxes = 0 } = cluster
  if (engine === null && nodes.length < 2) {
    return <p>One process has the whole state. Several can share one: see --data redis://… in the help.</p>
  }
  return (
    <>
      <About cluster={cluster} />
      {problem !== null && <p class="problem">No changes are kept: {problem}.</p>}
      {emptied_at !== null && (
        <p class="problem">
          The engine came back empty at <Moment at={emptied_at} />.{' '}
          {lost_sandboxes > 0 &&
            `It has lost ${count(lost_sandboxes, 'sandbox', 'sandboxes')} that nobody has reset since.`}
        </p>
      )}
      {lost_entries > 0 && (
        <p class="problem">
          The engine has lost {count(lost_entries, 'change')} that had been answered, perhaps in a failover.
        </p>
      )}
      <Processes cluster={cluster} seen={seen} />
      <h2>Figures</h2>
      <Figures figures={figures} nodes={nodes.map(({ node }) => node)} />
    </>
  )
}

function About({
  cluster: { engine, prefix, lease_ms, nodes, copies = 0, resets_at = null }
}: {
  cluster: ClusterReply
}) {
  return (
    <p class="quiet">
      {count(nodes.length, 'process', 'processes')} {nodes.length === 1 ? 'has' : 'share'} the state
      {engine !== null && (
        <>
          {' '}
          on <code>{engine}</code>, with keys that begin with <code>{prefix}</code>
        </>
      )}
      . Each sandbox lives in one of them, and each of them can be asked for it.
      {lease_ms !== null &&
        ` One that was killed keeps its sandboxes from the others for up to ${duration(lease_ms * 2)}.`}
      {copies > 0 && ` A change is answered when ${count(copies, 'replica')} of the engine has it.`}
      {resets_at !== null && (
        <>
          {' '}
          All sandboxes begin anew at <Moment at={resets_at} />.
        </>
      )}
    </p>
  )
}

function Processes({ cluster, seen }: { cluster: ClusterReply; seen: Process[] }) {
  const { nodes, silent = [] } = cluster
  const now = new Map(nodes.map((process) => [process.node, process]))
  const sorted = [...seen].sort((a, b) => (a.address ?? '').localeCompare(b.address ?? ''))
  return (
    <Table
      label="Processes"
      caption="Processes, by address"
      columns={['Name', 'Address', 'State', 'Sandboxes owned#', 'Lost changes#', 'Actions']}
    >
      {sorted.map(({ node, address }) => {
        const isAlive = now.has(node)
        const { owned, lost_entries } = now.get(node) ?? {}
        const silence = silent.find((it) => it.node === node)
        return (
          <tr key={node} class={isAlive ? undefined : 'unused'}>
            <th scope="row">
              <code>{node}</code>
            </th>
            <td>{address}</td>
            <td>
              {!isAlive && <span class="tag bad">gone</span>}
              {isAlive && silence && (
                <>
                  <span class="tag warn">silent</span> <bdi class="quiet">{silence.reason}</bdi>
                </>
              )}
              {isAlive && !silence && <span class="tag good">alive</span>}{' '}
              {node === cluster.node && <span class="quiet">answers this page</span>}
            </td>
            <td class="right number">{owned?.toLocaleString('en')}</td>
            <td class="right number">{lost_entries?.toLocaleString('en')}</td>
            <td class="buttons">
              {node !== cluster.node && isAlive && address !== null && (
                <a class="button" aria-label={`Open ${node}`} href={`${address}/__mock/#/default/cluster`}>
                  Open
                </a>
              )}
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

function Figures({ figures, nodes }: { figures: Figure[]; nodes: string[] }) {
  return (
    <Table label="Figures" class="narrow" columns={['Figure', ...nodes.map((node) => `${node}#`)]}>
      {figures.map(({ name, label, texts }) => (
        <tr key={name}>
          <th scope="row">
            {label} <code class="quiet">{name}</code>
          </th>
          {texts.has('') ? (
            <td class="right number" colSpan={nodes.length}>
              {texts.get('')}
            </td>
          ) : (
            nodes.map((node) => (
              <td key={node} class="right number">
                {texts.get(node)}
              </td>
            ))
          )}
        </tr>
      ))}
    </Table>
  )
}
