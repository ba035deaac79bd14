import { call } from './client.js'
import { useLoad } from './load.js'
import { go, href, route } from './route.js'

/** Chooses the sandbox for all pages. */
export function SandboxChooser() {
  const { sandbox, page } = route.value
  const { value } = useLoad(() => call('listSandboxes'), sandbox, { every: 5000 })
  const names = new Set([sandbox, 'default', ...(value?.sandboxes ?? []).map(({ name }) => name)])
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
