import type { CollectionInfo } from '../../../engine/contract/types.gen.js'
import { call, changes, type Reply, useCall, useLoad } from '../client.js'
import { numberIn } from '../json/values.js'
import { Button, Link, saveJson, say } from '../parts/actions.js'
import { GeneralErrors, SelectField, TextField, TextForm, useForm } from '../parts/fields.js'
import { Head, Loaded, Menu, Table } from '../parts/page.js'
import { count, grouped, Moment, Named, Terms } from '../parts/text.js'
import { Timeline } from '../ribbon/ribbon.js'
import { atMoment, go, href, isCompared, route } from '../route.js'
import { deleteLater, deleteNow, isStaying, offerUndo, undoable } from '../undo.js'
import { Differences, useApart } from './differences.js'
import { type AnyRow, type CollectionName, nameIn } from './fields.js'
import { RowStory } from './history.js'
import { one, several, shortId, titleOf } from './labels.js'
import { Lifecycle, Value } from './row.js'
import { RowForm } from './row-form.js'
import { Rows } from './rows.js'

export function State() {
  const { rest, query } = route.value
  const [chosen, id] = rest
  const then = atMoment()
  const loaded = useCall('listCollections', { query: then }, { live: true })
  const apart = useApart()
  const title = isCompared() ? 'Differences' : 'Snapshots and reset'
  const start = { text: title, href: href('state'), isCurrent: chosen === undefined }
  const links = loaded.value?.collections.map(({ name, rows }) => {
    const own = (apart.value ?? []).filter(({ collection }) => collection === name)
    const signs = own.map(({ before, after }) => (!before ? '+' : after ? '~' : '−'))
    const marks = ['+', '−', '~'].filter((it) => signs.some((sign) => sign === it))
    const changed = marks.map((mark) => mark + signs.filter((it) => it === mark).length).join(' ')
    return { text: several(name), href: href('state', [name]), isCurrent: name === chosen, count: rows, changed }
  })
  const content = (collections: readonly CollectionInfo[]) => {
    const collection = collections.find(({ name }) => name === chosen)
    if (chosen === undefined) return isCompared() ? <Differences loaded={apart} /> : <Snapshots />
    if (!collection) return <p class="problem">There is no collection “{chosen}”.</p>
    if (id === undefined || id === 'new') {
      return (
        <>
          <Rows key={chosen} collection={collection} apart={apart.value} />
          {id === 'new' && <RowForm collection={collection} />}
        </>
      )
    }
    return <Row key={`${chosen} ${id}`} collection={collection} id={id} isEdited={query.has('edit')} />
  }
  return (
    <>
      <Head title="State" />
      <Timeline use="comparison" />
      <div class="sides">
        <Menu label="Collections" class="collections" links={[start, ...(links ?? [])]} />
        <section class="content" aria-label={chosen === undefined ? title : several(chosen)}>
          <Loaded from={loaded} isForm={then.at === undefined && (id === 'new' || query.has('edit'))}>
            {({ collections }) => content(collections)}
          </Loaded>
        </section>
      </div>
    </>
  )
}

function Row({ collection, id, isEdited }: { collection: CollectionInfo; id: string; isEdited: boolean }) {
  const { lifecycle } = collection
  const name = collection.name as CollectionName
  const then = atMoment()
  const isPast = then.at !== undefined
  const path = { collection: name, id }
  const load = async () => {
    const where = JSON.stringify({ id: `=${id.toLowerCase()}` })
    const query = { ...then, names: true, where }
    const { rows, names } = await call('listRows', { path: { collection: name }, query })
    if (rows[0] || isPast) return { row: rows[0] ?? (await call('getRow', { path, query: then })), names }
    // Its last values, if it was deleted. Any other id gets the control API's own error.
    const { changes } = await call('getRowHistory', { path })
    const row = changes.find(({ after }) => after === null)?.before ?? (await call('getRow', { path }))
    return { row, names, isDeleted: true }
  }
  const loaded = useLoad(load, `${name} ${id} ${then.at}`, { live: true })
  return (
    <div class="row-page">
      <div>
        <Loaded from={loaded} isForm={isEdited && !isPast}>
          {({ names, isDeleted, ...loaded }) => {
            const row = loaded.row as AnyRow
            const title = isDeleted ? (nameIn(row) ?? shortId(row.id)) : titleOf(names, name, row.id)
            const restore = () => undoable('addRow', { path: { collection: name }, body: row }, `${title} is back.`)
            const remove = async () => {
              await undoable('removeRow', { path }, `${one(name)} ${title} was deleted.`)
              go(href('state', [name]))
            }
            return (
              <>
                {isEdited && !isPast && <RowForm collection={collection} row={row} names={names} />}
                <p>
                  <a href={href('state', [name])}>{several(name)}</a>
                </p>
                <div class="head">
                  <h2>
                    <bdi>{title}</bdi>{' '}
                    <span class="quiet">
                      {one(name)} <code>{id}</code>
                    </span>
                  </h2>
                  {isDeleted && <Button text="Add it again" class="primary" run={restore} />}
                  {!isPast && !isDeleted && (
                    <div class="buttons">
                      <Link text="Edit" href={href('state', [name, id], { edit: 'true' })} />
                      <Button text="Delete" class="danger" run={remove} />
                    </div>
                  )}
                </div>
                {isDeleted && <p class="note">It was deleted. These are its last values.</p>}
                {lifecycle && !isDeleted && <Lifecycle graph={lifecycle} collection={name} row={row} />}
                <Terms
                  class="row"
                  list={collection.fields.map((field) => [field.name, field] as const)}
                  term={(field, { description }) => (
                    <span title={description}>
                      <Named name={field} />
                    </span>
                  )}
                  value={(field) => <Value field={field} value={row[field.name]} names={names} />}
                />
              </>
            )
          }}
        </Loaded>
      </div>
      <RowStory collection={name} id={id} />
    </div>
  )
}

export function Snapshots() {
  const loaded = useCall('listSnapshots')
  const { sandbox } = route.value
  const take = async (name: string) => {
    await deleteNow('deleteSnapshot', name)
    const isTaken = (await call('listSnapshots')).snapshots.some((it) => it.name === name)
    if (isTaken) throw new Error(`There is a snapshot ${name} already. Delete it first, or choose another name.`)
    await call('takeSnapshot', { path: { name } })
    changes.value += 1
    offerUndo(`Snapshot ${name} was taken.`, async (undone) => {
      await call('deleteSnapshot', { path: { name } }, sandbox)
      say(undone)
    })
  }
  const saveFixtures = async () => saveJson(`${sandbox}.json`, await call('getState', { query: { relative: true } }))
  return (
    <div class="tools">
      <section>
        <h2>Snapshots</h2>
        <p class="quiet">A snapshot keeps rows, identifiers and the clock. It remains when you restore it.</p>
        <TextForm label="Name of the snapshot" verb="Take a snapshot" run={take} />
        <Loaded from={loaded}>{(list) => list.snapshots.length > 0 && <SnapshotTable {...list} />}</Loaded>
      </section>
      <ResetForm />
      <section>
        <h2>Fixtures</h2>
        <p class="quiet">A file of this state, with times relative to now, to start from: --fixtures {sandbox}.json</p>
        <div class="buttons">
          <Button text="Save as fixtures" run={saveFixtures} />
        </div>
      </section>
    </div>
  )
}

function SnapshotTable({ snapshots }: Reply<'listSnapshots'>) {
  const restore = (name: string) => undoable('restoreSnapshot', { path: { name } }, `Snapshot ${name} was restored.`)
  return (
    <Table
      label="Snapshots"
      items={snapshots.filter(({ name }) => isStaying('deleteSnapshot', name))}
      keyOf={({ name }) => name}
      columns={{
        Name: ({ name }) => name,
        'Its clock': ({ now }) => <Moment at={now} />,
        'Rows#': ({ rows }) => grouped(rows),
        Actions: ({ name }) => (
          <>
            <Button text="Restore" about={name} run={() => restore(name)} />
            <Button text="Delete" about={name} run={() => deleteLater('deleteSnapshot', name, `Snapshot ${name}`)} />
          </>
        )
      }}
    />
  )
}

const fixtureSets = ['empty', 'demo', 'large', 'awkward']

function ResetForm() {
  const { form, texts, general, inputOf, submit } = useForm(['fixtures', 'scale', 'seed', 'now'])
  const reset = () => {
    const filled = Object.entries(texts).filter(([, text]) => text !== '')
    const body = Object.fromEntries(filled.map(([name, text]) => [name, name === 'now' ? text : numberIn(text)]))
    return undoable('resetSandbox', { body, query: { keep_journal: true } }, ({ rows }) => {
      const total = Object.values(rows).reduce((sum, number) => sum + (number as number), 0)
      return `Back to the start: ${count(total, 'row')}.`
    })
  }
  return (
    <form ref={form} noValidate onSubmit={submit(reset)}>
      <h2>Reset</h2>
      <p class="quiet">
        Back to the start: rows, clock, choices and overrides. What you leave empty is as at the start of the mock.
        Snapshots, journal and coverage remain.
      </p>
      <div class="line">
        <SelectField label="Fixtures" {...inputOf('fixtures')} options={[['', 'as at the start'], ...fixtureSets]} />
        <TextField label="Scale" {...inputOf('scale')} />
        <TextField label="Seed" {...inputOf('seed')} />
        <TextField label="Clock (ISO 8601)" {...inputOf('now')} />
        <Button type="submit" class="danger" text="Reset" />
      </div>
      <GeneralErrors texts={general} />
    </form>
  )
}
