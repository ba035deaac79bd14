import { useCall } from './client.js'
import { Button, DialogButton, Link } from './parts/actions.js'
import { TextForm } from './parts/fields.js'
import { Head, Loaded, Pager, Search, Table } from './parts/page.js'
import { count, duration, grouped, Moment } from './parts/text.js'
import { go, href, route } from './route.js'
import { deleteLater, isStaying, makeSandbox } from './undo.js'

const pageSize = 50

export function Sandboxes() {
  const { query, sandbox: current } = route.value
  const q = query.get('q') ?? ''
  const page = Math.max(1, Number(query.get('page')) || 1)
  const list = { limit: pageSize, offset: (page - 1) * pageSize, q }
  const loaded = useCall('listSandboxes', { query: list }, { every: 2000, live: true })
  const total = loaded.value?.total
  const make = (name: string, from?: string) =>
    makeSandbox({ name, from }, `Sandbox ${name} was ${from === undefined ? 'created' : `forked from ${from}`}.`)
  const remove = (name: string) => {
    // Watching a sandbox creates it, so leave it first.
    if (name === current) go(href('sandboxes', [], {}, 'default'))
    deleteLater('dropSandbox', name, `Sandbox ${name}`)
  }
  return (
    <>
      <Head title="Sandboxes" />
      <p class="quiet">
        Each is a private copy of the mock. To use one, add a tilde and its name to the token (
        <code>admin~checkout-7</code>), or send the header <code>X-Mock-Sandbox</code>. Its first use creates it.
      </p>
      <search class="filters">
        <Search />
        <p class="quiet" aria-live="polite">
          {total !== undefined && count(total, 'sandbox', 'sandboxes')}
        </p>
      </search>
      <TextForm label="Name of the new sandbox" verb="Create" run={(name) => make(name)} />
      <Loaded from={loaded}>
        {({ sandboxes }) => (
          <Table
            label="Sandboxes"
            caption="Sandboxes, the last used first"
            items={sandboxes.filter(({ name }) => isStaying('dropSandbox', name))}
            keyOf={({ name }) => name}
            rowClass={({ name }) => (name === current ? 'chosen' : undefined)}
            columns={{
              Name: ({ name }) => name,
              Age: ({ created_at }) => <span class="number">{duration(Date.now() - Date.parse(created_at))}</span>,
              'Rows#': ({ rows }) => grouped(rows),
              'Requests#': ({ requests }) => grouped(requests),
              'Its clock': ({ now }) => <Moment at={now} />,
              Actions: ({ name }) => (
                <>
                  <Link text="Open" about={name} href={href('requests', [], {}, name)} />
                  <DialogButton text="Fork" about={name} title={`Fork ${name}`} end="Cancel">
                    {(close) => (
                      <TextForm label="Name of the fork" verb="Fork" run={(fork) => make(fork, name).then(close)} />
                    )}
                  </DialogButton>
                  <Button text="Drop" about={name} disabled={name === 'default'} run={() => remove(name)} />
                </>
              )
            }}
          />
        )}
      </Loaded>
      {total !== undefined && <Pager label="Pages of sandboxes" page={page} size={pageSize} total={total} />}
    </>
  )
}
