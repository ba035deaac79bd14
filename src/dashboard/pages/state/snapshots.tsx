import { call, changes, type Reply, useCall } from '../client.js'
import { numberIn } from '../json/values.js'
import { Button, saveJson, say } from '../parts/actions.js'
import { GeneralErrors, SelectField, TextField, TextForm, useForm } from '../parts/fields.js'
import { Loaded, Table } from '../parts/page.js'
import { count, grouped, Moment } from '../parts/text.js'
import { route } from '../route.js'
import { deleteLater, deleteNow, isStaying, offerUndo, undoable } from '../undo.js'

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
