import { call } from './client.js'
import { useLoad } from './load.js'
import { go, href, route } from './route.js'
import { isStaying } from './undo/later.js'

/** Chooses the sandbox for all pages. */
export function SandboxChooser() {
  const { sandbox, page } = route.value
  const { value } = useLoad(() => call('listSandboxes'), sandbox, { every: 5000 })
  const others = (value?.sandboxes ?? []).map(({ name }) => name).filter((name) => isStaying('dropSandbox', name))
  const names = new Set([sandbox, 'default', ...others])
  return (
    <label class="chooser">
      <span>Sandbox</span>
      <select value={sandbox} onChange={(event) => go(href(page, [], {}, event.currentTarget.value))}>
        {[...names].sort().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
