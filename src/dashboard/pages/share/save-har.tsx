import type { Operations } from '../../../engine/contract/types.gen.js'
import { call } from '../client.js'
import { Action } from '../parts/action.js'
import { saveJson } from '../parts/save.js'
import { count } from '../parts/text.js'

/** Exchanges as an HTTP Archive. */
export function SaveHar({
  name,
  query,
  what
}: {
  name: string
  query: Operations['getHar']['input']['query']
  /** Which exchanges these are. */
  what: string
}) {
  const run = async () => {
    const har = await call('getHar', { query })
    saveJson(`${name}.har`, har)
    return `${count(har.log.entries.length, 'exchange')} saved as ${name}.har.`
  }
  return (
    <section class="offer" aria-label="As HAR">
      <h3>As HAR</h3>
      <p class="quiet">{what}, without secrets, for the network panel of a browser or Playwright's routeFromHAR.</p>
      <div class="buttons">
        <Action run={run}>Save {name}.har</Action>
      </div>
    </section>
  )
}
