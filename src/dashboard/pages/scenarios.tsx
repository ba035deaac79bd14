import { useState } from 'preact/hooks'
import type { Operations, SceneShown, WeatherProfile } from '../../engine/contract/types.gen.js'
import { useCall } from './load.js'
import { Action } from './parts/action.js'
import { Head, Pending } from './parts/page.js'
import { Table } from './parts/table.js'
import { sayFailed } from './parts/toasts.js'
import { ShareJournal } from './share/share-journal.js'
import { playScenario, undoable } from './undo/undo.js'

const weathers: { readonly [W in WeatherProfile]: string } = {
  fair: 'every request is answered',
  flaky: 'one in five is a 503',
  slow: 'answers wait, mostly 0.8 s',
  'rate-limited': 'one in two is a 429',
  degrading: 'slower and slower, then 503'
}

/** Whole situations: play one, step through its scenes, change the weather, save what happened. */
export function Scenarios() {
  const loaded = useCall('listScenarios')
  return (
    <>
      <Head title="Scenarios">
        <ShareJournal />
      </Head>
      <p class="quiet">
        A scenario replaces the state of the sandbox and leads to a situation. Its scenes are moments on the way. What
        happened in a sandbox can be saved as a scenario that leads to the same state.
      </p>
      <Weather />
      {loaded.value ? <List {...loaded.value} /> : <Pending loaded={loaded} />}
    </>
  )
}

function Weather() {
  const { value, reload } = useCall('getWeather', {}, { live: true })
  const change = async (profile: WeatherProfile) => {
    await undoable('setWeather', { body: { profile } }, `The weather is ${profile}.`)
    await reload()
  }
  return (
    <fieldset class="steps weather">
      <legend>Weather</legend>
      {Object.entries(weathers).map(([profile, meaning]) => (
        <label key={profile} class="check">
          <input
            type="radio"
            name="weather"
            checked={value?.profile === profile}
            onChange={() => void change(profile as WeatherProfile).catch(sayFailed)}
          />{' '}
          <span>
            <b>{profile}</b> <span class="quiet">{meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function List({ scenarios }: Operations['listScenarios']['reply']) {
  const [shown, show] = useState<SceneShown>()
  const play = async (name: string) => {
    await playScenario(name)
    show(undefined)
  }
  const next = async (name: string) =>
    show(
      await undoable(
        'nextScene',
        { path: { name }, query: { keep_journal: true } },
        ({ name: scene }) => `${name} shows ${scene}.`
      )
    )
  return (
    <>
      <p role="status">
        {shown && `Scene ${shown.number} of ${shown.of} of ${shown.scenario}: ${shown.name}. ${shown.note ?? ''}`}
      </p>
      <Table label="Scenarios" columns={['Name', 'Shows', 'Scenes#', 'Actions']}>
        {scenarios.map(({ name, description, scenes }) => (
          <tr key={name} class={name === shown?.scenario ? 'chosen' : undefined}>
            <th scope="row">{name}</th>
            <td>
              <bdi class="text">{description}</bdi>
            </td>
            <td class="right number">{scenes}</td>
            <td class="buttons">
              <Action label={`Play ${name}`} run={() => play(name)}>
                Play
              </Action>
              <Action label={`Next scene of ${name}`} disabled={scenes === 0} run={() => next(name)}>
                Next scene
              </Action>
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}
