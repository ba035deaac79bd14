import { useRef } from 'preact/hooks'
import type { Cluster as Told } from '../../../contract/types.gen.js'
import { call, send } from '../client.js'
import { useLoad } from '../load.js'
import { Head, Pending } from '../parts/page.js'
import { Table } from '../parts/table.js'
import { count } from '../parts/text.js'
import { duration } from '../parts/time.js'
import { type Figure, figuresIn } from './figures.js'

type Process = Told['nodes'][number]
type ByName<T> = ReadonlyMap<string, T>

/** The processes that share the state, and the figures of those that answer. */
export function Cluster() {
  const kept = useRef({ processes: new Map<string, Process>(), figures: new Map<string, Figure[]>() })
  const loaded = useLoad(
    async () => {
      const [cluster, metrics] = await Promise.all([call('getCluster'), send('getMetrics')])
      const { processes, figures } = kept.current
      for (const process of cluster.nodes) processes.set(process.node, process)
      // A process that answers no more keeps its last figures.
      for (const [node, list] of figuresIn(await metrics.text(), cluster.node)) figures.set(node, list)
      return cluster
    },
    'cluster',
    { every: 2000 }
  )
  const { value } = loaded
  return (
    <>
      <Head title="Cluster" />
      {value ? <Shown cluster={value} {...kept.current} /> : <Pending loaded={loaded} />}
    </>
  )
}

interface ShownProps {
  cluster: Told
  /** All that were there since the page was opened. */
  processes: ByName<Process>
  figures: ByName<Figure[]>
}

function Shown({ cluster, processes, figures }: ShownProps) {
  const { engine, prefix, lease_ms, nodes } = cluster
  const alive = new Set(nodes.map(({ node }) => node))
  const sorted = [...processes.values()].sort((a, b) => (a.address ?? '').localeCompare(b.address ?? ''))
  const reached = sorted.filter(({ node }) => figures.has(node) && alive.has(node))
  if (engine === null && nodes.length < 2) {
    return <p>One process has the whole state. Several can share one: see --data redis://… in the help.</p>
  }
  return (
    <>
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
      </p>
      <Table
        label="Processes"
        caption="Processes, by address"
        columns={['Name', 'Address', 'State', 'Sandboxes owned#', 'Actions']}
      >
        {sorted.map(({ node, address }) => (
          <tr key={node} class={alive.has(node) ? undefined : 'unused'}>
            <th scope="row">
              <code>{node}</code>
            </th>
            <td>{address}</td>
            <td>
              <State isAlive={alive.has(node)} isOwn={node === cluster.node} />
            </td>
            <td class="right number">{alive.has(node) ? ownedBy(figures.get(node)) : '0'}</td>
            <td class="buttons">
              {node !== cluster.node && alive.has(node) && address !== null && (
                <a class="button" aria-label={`Open ${node}`} href={`${address}/__mock/#/default/cluster`}>
                  Open
                </a>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <h2>Figures</h2>
      <Table label="Figures" class="narrow" columns={['Figure', ...reached.map(({ node }) => `${node}#`)]}>
        {(figures.get(reached[0]?.node ?? '') ?? []).map(({ name, label }) => (
          <tr key={name}>
            <th scope="row">
              {label} <code class="quiet">{name}</code>
            </th>
            {reached.map(({ node }) => (
              <td key={node} class="right number">
                {figures.get(node)?.find((it) => it.name === name)?.text}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </>
  )
}

function State({ isAlive, isOwn }: { isAlive: boolean; isOwn: boolean }) {
  if (!isAlive) return <span class="tag bad">gone</span>
  return (
    <>
      <span class="tag good">alive</span> {isOwn && <span class="quiet">answers this page</span>}
    </>
  )
}

function ownedBy(figures: Figure[] | undefined) {
  return figures?.find(({ name }) => name === 'kcm_sandboxes_owned')?.text ?? <span class="quiet">no answer</span>
}
