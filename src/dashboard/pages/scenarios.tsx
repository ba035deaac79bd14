import { useState } from 'preact/hooks'
import type { Operations, SceneShown, WeatherProfile } from '../../engine/contract/types.gen.js'
import { useCall } from './client.js'
import { Button, sayFailed } from './parts/actions.js'
import { Head, Loaded, Table } from './parts/page.js'
import { playScenario, undoable } from './undo.js'

const weathers: { readonly [W in WeatherProfile]: string } = {
  fair: 'every request is answered',
  flaky: 'one in five is a 503',
  slow: 'answers wait, mostly 0.8 s',
  'rate-limited': 'one in two is a 429',
  degrading: 'slower and slower, then 503'
}

export function Scenarios() {
  const loaded = useCall('listScenarios')
  return (
    <>
      <Head title="Scenarios" />
      <p class="quiet">
        A scenario replaces the state of the sandbox and leads to a situation. Its scenes are moments on the way.
        “Share…” on the page Requests saves what happened as a scenario that leads to the same state.
      </p>
      <Weather />
      <Loaded from={loaded}>{(list) => <List {...list} />}</Loaded>
    </>
  )
}

function Weather() {
  const { value } = useCall('getWeather', {}, { live: true })
  const change = (profile: string) =>
    undoable('setWeather', { body: { profile: profile as WeatherProfile } }, `The weather is ${profile}.`)
  return (
    <fieldset class="steps weather">
      <legend>Weather</legend>
      {Object.entries(weathers).map(([profile, meaning]) => (
        <label key={profile} class="check">
          <input
            type="radio"
            name="weather"
            checked={value?.profile === profile}
            onChange={() => void change(profile).catch(sayFailed)}
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
  const [latest, show] = useState<SceneShown>()
  const isUndone = useCall('getHistory').value?.moments.at(-1)?.operation === 'goBack'
  const shown = isUndone ? undefined : latest
  const play = async (name: string) => {
    await playScenario(name)
    show(undefined)
  }
  const next = async (name: string) => {
    const input = { path: { name }, query: { keep_journal: true } }
    show(await undoable('nextScene', input, (scene) => `${name}: scene ${scene.name}.`))
  }
  return (
    <>
      <p role="status">
        {shown && `Scene ${shown.number} of ${shown.of} of ${shown.scenario}: ${shown.name}. ${shown.note ?? ''}`}
      </p>
      <Table
        label="Scenarios"
        items={scenarios}
        keyOf={({ name }) => name}
        rowClass={({ name }) => (name === shown?.scenario ? 'chosen' : undefined)}
        columns={{
          Name: ({ name }) => name,
          Shows: ({ description }) => <bdi class="text">{description}</bdi>,
          'Scenes#': ({ scenes }) => scenes,
          Actions: ({ name, scenes }) => (
            <>
              <Button text="Play" about={name} run={() => play(name)} />
              <Button text="Next scene" about={`of ${name}`} disabled={scenes === 0} run={() => next(name)} />
            </>
          )
        }}
      />
    </>
  )
}
