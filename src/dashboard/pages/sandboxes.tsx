import { useState } from 'preact/hooks'
import { useCall } from './load.js'
import { Dialog } from './parts/dialog.js'
import { Search } from './parts/line.js'
import { Head, Pending } from './parts/page.js'
import { Table } from './parts/table.js'
import { count } from './parts/text.js'
import { TextForm } from './parts/text-form.js'
import { duration, Moment } from './parts/time.js'
import { go, href, route, setQuery } from './route.js'
import { deleteLater, isStaying } from './undo/later.js'
import { makeSandbox } from './undo/make-sandbox.js'

/** The number of sandboxes in the list. */
const most = 200

/** The list of sandboxes. */
export function Sandboxes() {
  const q = route.value.query.get('q') ?? ''
  const loaded = useCall('listSandboxes', { query: { limit: most, q } }, { every: 2000, live: true })
  const [forked, fork] = useState<string>()
  const current = route.value.sandbox
  const make = async (name: string, from?: string) => {
    const done = from === undefined ? 'created' : `forked from ${from}`
    await makeSandbox({ name, ...(from !== undefined && { from }) }, `Sandbox ${name} was ${done}.`)
    fork(undefined)
    await loaded.reload()
  }
  const remove = (name: string) => {
    // Watching a sandbox creates it, so leave it first.
    if (name === current) go(href('sandboxes', [], {}, 'default'))
    deleteLater('dropSandbox', name, `Sandbox ${name}`)
  }
  return (
    <>
      <Head title="Sandboxes" />
      <p class="quiet">
        Each is a whole private copy of the mock. A token names one after a tilde (<code>admin~checkout-7</code>), or
        the header <code>X-Mock-Sandbox</code> does; one that was not seen before is made from the start.
      </p>
      <search class="filters">
        <Search value={q} onChange={(text) => setQuery({ q: text })} />
        <p class="quiet" aria-live="polite">
          {loaded.value && count(loaded.value.total, 'sandbox', 'sandboxes')}
          {loaded.value && loaded.value.total > most && `, the ${most} last used are shown`}
        </p>
      </search>
      <TextForm label="Name of the new sandbox" verb="Make" run={(name) => make(name)} />
      {loaded.value ? (
        <Table
          label="Sandboxes"
          caption="Sandboxes, the last used first"
          columns={['Name', 'Age', 'Rows#', 'Requests#', 'Its clock', 'Actions']}
        >
          {loaded.value.sandboxes
            .filter(({ name }) => isStaying('dropSandbox', name))
            .map(({ name, created_at, rows, requests, now }) => (
              <tr key={name} class={name === current ? 'chosen' : undefined}>
                <th scope="row">{name}</th>
                <td class="number">{duration(Date.now() - Date.parse(created_at))}</td>
                <td class="right number">{rows.toLocaleString('en')}</td>
                <td class="right number">{requests.toLocaleString('en')}</td>
                <td>
                  <Moment at={now} />
                </td>
                <td class="buttons">
                  <a class="button" aria-label={`Open ${name}`} href={href('requests', [], {}, name)}>
                    Open
                  </a>
                  <button type="button" aria-label={`Fork ${name}`} onClick={() => fork(name)}>
                    Fork
                  </button>
                  <button
                    type="button"
                    aria-label={`Drop ${name}`}
                    disabled={name === 'default'}
                    onClick={() => remove(name)}
                  >
                    Drop
                  </button>
                </td>
              </tr>
            ))}
        </Table>
      ) : (
        <Pending loaded={loaded} />
      )}
      {forked !== undefined && (
        <Dialog title={`Fork ${forked}`} end="Cancel" onClose={() => fork(undefined)}>
          <TextForm label="Name of the fork" verb="Fork" run={(name) => make(name, forked)} />
        </Dialog>
      )}
    </>
  )
}
