import { call } from '../client.js'
import { Action } from '../parts/action.js'
import { DialogButton } from '../parts/dialog.js'
import { saveJson } from '../parts/save.js'
import { count } from '../parts/text.js'
import type { Query } from '../requests/query.js'
import { route } from '../route.js'
import { testOfAll } from './as-test.js'
import { SaveHar } from './save-har.js'
import { TestOffer } from './test-offer.js'
import { tryJournal } from './try-out.js'

/** What happened in the sandbox: as a capsule, as a test, as HAR. */
export function ShareJournal({ query = {} }: { query?: Query }) {
  const { sandbox } = route.value
  const isFiltered = Object.keys(query).length > 0
  return (
    <DialogButton label="Share…" title={`Share what happened in ${sandbox}`} class="wide" end="Close">
      <section class="offer" aria-label="As a capsule">
        <h3>As a capsule</h3>
        <p class="quiet">
          A scenario that leads from the start to now, in any mock: for a bug report, a demo or a test. Secrets are not
          in it.
        </p>
        <div class="buttons">
          <Action run={saveCapsule}>Save the capsule</Action>
        </div>
      </section>
      <TestOffer
        name={`capsule-${sandbox}`}
        run={async () => {
          const scenario = await tryJournal()
          return { steps: scenario.steps.length, write: (style) => testOfAll(scenario, style) }
        }}
      />
      <SaveHar
        name={sandbox}
        query={query as never}
        what={isFiltered ? 'The exchanges that the filter shows' : 'All exchanges of the journal'}
      />
    </DialogButton>
  )
}

async function saveCapsule(): Promise<string> {
  const capsule = await call('getCapsule')
  saveJson(`${capsule.name}.json`, capsule)
  return `${count(capsule.steps.length, 'step')} saved as ${capsule.name}.json.`
}
