import { useRef } from 'preact/hooks'
import type { Cluster as ClusterReply } from '../../engine/contract/types.gen.js'
import { base, call, useLoad } from './client.js'
import { Link } from './parts/actions.js'
import { Head, Loaded, Table } from './parts/page.js'
import { count, duration, grouped, momentText, Note } from './parts/text.js'

const optional = (value: number | undefined) => value !== undefined && grouped(value)

type Process = ClusterReply['nodes'][number]

export function Cluster() {
  /** All processes that were there since the page was opened. */
  const seen = useRef(new Map<string, Process>())
  const loaded = useLoad(
    async () => {
      const cluster = await call('getCluster')
      for (const process of cluster.nodes) seen.current.set(process.node, process)
      return cluster
    },
    'cluster',
    { every: 2000 }
  )
  return (
    <>
      <Head title="Cluster" />
      <Loaded from={loaded}>{(cluster) => <Shown cluster={cluster} seen={[...seen.current.values()]} />}</Loaded>
    </>
  )
}

function Shown({ cluster, seen }: { cluster: ClusterReply; seen: Process[] }) {
  const { engine, nodes } = cluster
  if (engine === null && nodes.length < 2) {
    return (
      <p class="empty">
        This page shows the processes that share one state. Start each with the same Redis:{' '}
        <code>npx knowledge-chat-mock --data redis://localhost:6379</code>
      </p>
    )
  }
  return (
    <>
      <Note class="quiet" text={aboutOf(cluster)} />
      {problemsOf(cluster).map((text) => (
        <Note key={text} class="problem" text={text} />
      ))}
      <Processes cluster={cluster} seen={seen} />
      <p class="quiet">
        Prometheus reads the metrics of all of them from <code>{base}/__mock/metrics</code>, with the control token as
        the bearer token.
      </p>
    </>
  )
}

function aboutOf({ engine, prefix, lease_ms, nodes, copies = 0, resets_at = null }: ClusterReply): string {
  const where = engine === null ? '' : ` on ${engine}, with keys that begin with ${prefix}`
  const sentences = [
    `${count(nodes.length, 'process', 'processes')} ${nodes.length === 1 ? 'has' : 'share'} the state${where}.`,
    'Each sandbox lives in one of them, and each of them can be asked for it.',
    lease_ms !== null && `One that was killed keeps its sandboxes from the others for up to ${duration(lease_ms * 2)}.`,
    copies > 0 && `A change is answered when ${count(copies, 'replica')} of the engine has it.`,
    resets_at !== null && `All sandboxes are reset at ${momentText(resets_at)}.`
  ]
  return sentences.filter(Boolean).join(' ')
}

function problemsOf({ lost_entries = 0, problem = null, emptied_at = null, lost_sandboxes = 0 }: ClusterReply) {
  const lost = `It has lost ${count(lost_sandboxes, 'sandbox', 'sandboxes')} that were not reset since.`
  const emptied = `The engine came back empty at ${momentText(emptied_at ?? '')}. ${lost_sandboxes > 0 ? lost : ''}`
  const changes = count(lost_entries, 'change')
  return [
    ...(problem === null ? [] : [`No changes are kept: ${problem}.`]),
    ...(emptied_at === null ? [] : [emptied]),
    ...(lost_entries === 0 ? [] : [`The engine has lost ${changes} that had been answered, perhaps in a failover.`])
  ]
}

function Processes({ cluster, seen }: { cluster: ClusterReply; seen: Process[] }) {
  const { nodes, silent = [] } = cluster
  const alive = new Map(nodes.map((process) => [process.node, process]))
  const stateOf = ({ node }: Process) => {
    const silence = silent.find((it) => it.node === node)
    if (!alive.has(node)) return <span class="tag bad">gone</span>
    if (!silence) return <span class="tag good">alive</span>
    return (
      <>
        <span class="tag warn">silent</span> <bdi class="quiet">{silence.reason}</bdi>
      </>
    )
  }
  return (
    <Table
      label="Processes"
      caption="Processes, by address"
      items={[...seen].sort((a, b) => (a.address ?? '').localeCompare(b.address ?? ''))}
      keyOf={({ node }) => node}
      rowClass={({ node }) => (alive.has(node) ? undefined : 'unused')}
      columns={{
        Name: ({ node }) => <code>{node}</code>,
        Address: ({ address }) => address,
        State: (process) => (
          <>
            {stateOf(process)} {process.node === cluster.node && <span class="quiet">answers this page</span>}
          </>
        ),
        'Sandboxes owned#': ({ node }) => optional(alive.get(node)?.owned),
        'Lost changes#': ({ node }) => optional(alive.get(node)?.lost_entries),
        Actions: ({ node, address }) =>
          node !== cluster.node &&
          alive.has(node) &&
          address !== null && <Link text="Open" about={node} href={`${address}/__mock/#/default/cluster`} />
      }}
    />
  )
}
