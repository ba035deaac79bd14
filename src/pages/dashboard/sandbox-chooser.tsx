import { call } from './client.js'
import { useLoad } from './load.js'
import { go, href, route } from './route.js'
import { isStaying } from './undo/later.js'

/** The number of sandboxes in the list. The page of sandboxes finds the others. */
const most = 100
const others = ' others'

/** Chooses the sandbox for all pages. */
export function SandboxChooser() {
  const { sandbox, page } = route.value
  const { value } = useLoad(() => call('listSandboxes', { query: { limit: most } }), sandbox, { every: 5000 })
  const used = (value?.sandboxes ?? []).map(({ name }) => name).filter((name) => isStaying('dropSandbox', name))
  const names = new Set([sandbox, 'default', ...used])
  const choose = (name: string) => go(name === others ? href('sandboxes') : href(page, [], {}, name))
  return (
    <label class="chooser">
      <span>Sandbox</span>
      <select value={sandbox} onChange={(event) => choose(event.currentTarget.value)}>
        {[...names].sort().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        {value && value.total > most && (
          <option value={others}>Find another of {value.total.toLocaleString('en')}…</option>
        )}
      </select>
    </label>
  )
}
