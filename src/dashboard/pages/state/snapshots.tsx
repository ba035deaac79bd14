import { useState } from 'preact/hooks'
import { call } from '../client.js'
import { numberIn } from '../json/text.js'
import { useCall } from '../load.js'
import { Action } from '../parts/action.js'
import { GeneralErrors, useErrors } from '../parts/errors.js'
import { LineSelect } from '../parts/line.js'
import { Pending } from '../parts/page.js'
import { saveJson } from '../parts/save.js'
import { Table } from '../parts/table.js'
import { count } from '../parts/text.js'
import { TextForm } from '../parts/text-form.js'
import { Moment } from '../parts/time.js'
import { say } from '../parts/toasts.js'
import { go, href, route } from '../route.js'
import { deleteLater, deleteNow, isStaying } from '../undo/later.js'
import { makeSandbox } from '../undo/make-sandbox.js'
import { undoable } from '../undo/undo.js'

const fixtureSets = ['empty', 'demo', 'large', 'awkward'] as const
type FixtureSet = (typeof fixtureSets)[number]

/** Goes back to the start, or to another one. */
function ResetForm({ onChange }: { onChange: () => Promise<void> }) {
  const { form, general, errorOf, submit } = useErrors(['fixtures', 'scale', 'seed', 'now'])
  const [fixtures, setFixtures] = useState<FixtureSet | ''>('')
  const [scale, setScale] = useState('')
  const [seed, setSeed] = useState('')
  const [now, setNow] = useState('')
  const reset = async () => {
    const body = {
      ...(fixtures && { fixtures }),
      ...(scale && { scale: numberIn(scale) }),
      ...(seed && { seed: numberIn(seed) }),
      ...(now && { now })
    }
    await undoable('resetSandbox', { body, query: { keep_journal: true } }, ({ rows }) => {
      const total = Object.values(rows).reduce((sum, number) => sum + (number as number), 0)
      return `Back to the start: ${count(total, 'row')}.`
    })
    await onChange()
  }
  const inputs = [
    { name: 'scale', label: 'Scale', value: scale, set: setScale },
    { name: 'seed', label: 'Seed', value: seed, set: setSeed },
    { name: 'now', label: 'Clock (ISO 8601)', value: now, set: setNow }
  ]
  return (
    <form ref={form} noValidate onSubmit={submit(reset)}>
      <h2>Reset</h2>
      <p class="quiet">
        Back to the start: rows, clock, choices and overrides. What is left empty is as the mock was started. Snapshots,
        journal and coverage stay.
      </p>
      <div class="line">
        <LineSelect
          label="Fixtures"
          value={fixtures}
          onChange={(name) => setFixtures(name as FixtureSet)}
          options={[['', 'as at the start'], ...fixtureSets]}
        />
        {inputs.map(({ name, label, value, set }) => {
          const error = errorOf(name)
          return (
            <label key={name}>
              <span>{label}</span>
              <input
                type="text"
                autoComplete="off"
                value={value}
                aria-invalid={error ? 'true' : undefined}
                onInput={(event) => set(event.currentTarget.value)}
              />
              {error && <span class="error">{error}</span>}
            </label>
          )
        })}
        <button type="submit" class="danger">
          Reset
        </button>
      </div>
      <GeneralErrors texts={general} />
    </form>
  )
}

/** Actions on the whole state: take and restore snapshots, reset, fork. */
export function Snapshots({ onChange }: { onChange: () => Promise<void> }) {
  const loaded = useCall('listSnapshots')
  const { value } = loaded
  const { sandbox } = route.value
  const [taken, setTaken] = useState(0)
  const take = async (name: string) => {
    await deleteNow('deleteSnapshot', name)
    const isTaken = (await call('listSnapshots')).snapshots.some((it) => it.name === name)
    if (isTaken) throw new Error(`There is a snapshot ${name} already. Forget it first, or choose another name.`)
    await call('takeSnapshot', { path: { name } })
    setTaken(taken + 1)
    await loaded.reload()
    const forget = async () => {
      await call('deleteSnapshot', { path: { name } }, sandbox)
      say('Undone.')
    }
    say(`Snapshot ${name} was taken.`, 'done', { verb: 'Undo', run: forget })
  }
  const restore = async (name: string) => {
    await undoable('restoreSnapshot', { path: { name } }, `Snapshot ${name} was restored.`)
    await onChange()
  }
  const forget = async (name: string) => {
    deleteLater('deleteSnapshot', name, `Snapshot ${name}`)
  }
  const saveFixtures = async () => {
    const state = await call('getState', { query: { relative: true } })
    saveJson(`${sandbox}.json`, state)
  }
  const fork = async (name: string) => {
    await makeSandbox({ name, from: sandbox }, `Sandbox ${name} was forked from ${sandbox}.`)
    go(href('state', [], {}, name))
  }
  return (
    <>
      <h2>Snapshots</h2>
      <p class="quiet">A snapshot keeps rows, identifiers and the clock. It stays when one goes back to it.</p>
      <TextForm key={taken} label="Name of the snapshot" verb="Take a snapshot" run={take} />
      {value ? (
        value.snapshots.length > 0 && (
          <Table label="Snapshots" columns={['Name', 'Its clock', 'Rows#', 'Actions']}>
            {value.snapshots
              .filter(({ name }) => isStaying('deleteSnapshot', name))
              .map(({ name, now, rows }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    <Moment at={now} />
                  </td>
                  <td class="right number">{rows.toLocaleString('en')}</td>
                  <td class="buttons">
                    <Action label={`Restore ${name}`} run={() => restore(name)}>
                      Restore
                    </Action>
                    <Action label={`Forget ${name}`} run={() => forget(name)}>
                      Forget
                    </Action>
                  </td>
                </tr>
              ))}
          </Table>
        )
      ) : (
        <Pending loaded={loaded} />
      )}
      <h2>Fixtures</h2>
      <p class="quiet">A file of this state, with times relative to now, to start from: --fixtures {sandbox}.json</p>
      <div class="buttons">
        <Action run={saveFixtures}>Save as fixtures</Action>
      </div>
      <h2>Fork</h2>
      <p class="quiet">Another sandbox goes on from here, with this state, and this one stays as it is.</p>
      <TextForm label="Name of the new sandbox" verb="Fork" run={fork} />
      <ResetForm onChange={onChange} />
    </>
  )
}
