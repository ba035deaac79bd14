import { useEffect, useState } from 'preact/hooks'
import { useCall } from '../load.js'
import { Copy } from '../parts/copy.js'
import { LineSelect } from '../parts/line.js'
import { save } from '../parts/save.js'
import { count } from '../parts/text.js'
import { fileOf, modules, runners, type Style, whyNot } from './as-test.js'

/** The result of running a test. */
interface Run {
  /** The number of steps that lead to the state. */
  steps: number
  write: (style: Style) => string
}

const styleKey = 'test-style'

function lastStyle(): Style {
  const [runner, kind] = (localStorage.getItem(styleKey) ?? '').split(' ')
  return {
    runner: runners.find((it) => it === runner) ?? 'Jest',
    modules: modules.find((it) => it === kind) ?? 'ESM'
  }
}

/** Runs a test in a throw-away sandbox, and offers its text if every expectation is met. */
export function TestOffer({ name, run }: { name: string; run: () => Promise<Run> }) {
  const [style, setStyle] = useState(lastStyle)
  const [result, setResult] = useState<Run | Error>()
  useEffect(() => {
    run().then(setResult, setResult)
  }, [])
  const choose = (change: Partial<Style>) => {
    const next = { ...style, ...change }
    setStyle(next)
    localStorage.setItem(styleKey, `${next.runner} ${next.modules}`)
  }
  const reason = whyNot(style)
  const ran = result !== undefined && !(result instanceof Error) ? result : undefined
  const { value } = useCall('listOperations')
  const documents = [...new Set(value?.operations.flatMap(({ document }) => document ?? []))]
  const text = ran && value && reason === undefined ? ran.write({ ...style, documents }) : undefined
  return (
    <section class="offer" aria-label="As a test">
      <h3>As a test</h3>
      <div class="line">
        <LineSelect
          label="Runner"
          value={style.runner}
          onChange={(runner) => choose({ runner: runner as Style['runner'] })}
          options={runners}
        />
        <LineSelect
          label="Modules"
          value={style.modules}
          onChange={(kind) => choose({ modules: kind as Style['modules'] })}
          options={modules}
        />
      </div>
      <div class={`verdict ${result === undefined ? '' : ran ? 'is-good' : 'is-bad'}`} role="status">
        {result === undefined && <p>Running it in a throw-away sandbox…</p>}
        {ran && (
          <p>
            It was run in a throw-away sandbox, and every expectation held. It begins with the state that was found
            {ran.steps > 0 && `, after ${count(ran.steps, 'step')}`}.
          </p>
        )}
        {result instanceof Error && <p>It is not offered, because it did not hold: {result.message}</p>}
        {ran && documents.length > 0 && (
          <p class="quiet">The mock has documents of your own: give their paths to startMock.</p>
        )}
        {reason !== undefined && <p>{reason}</p>}
      </div>
      {text !== undefined && (
        <>
          <textarea class="code" readOnly rows={12} spellcheck={false} aria-label="The test" value={text} />
          <div class="buttons">
            <Copy name="test" text={() => text} />
            <button type="button" onClick={() => save(fileOf(name, style), text, 'text/javascript')}>
              Save {fileOf(name, style)}
            </button>
          </div>
        </>
      )}
    </section>
  )
}
