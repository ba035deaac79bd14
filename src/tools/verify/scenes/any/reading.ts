import type { Input } from '../../calls/request.js'
import { groupBy } from '../../group.js'
import { type Difference, differences, worldBy, worldOf } from '../../world.js'
import { type Play, reading } from './scene.js'

/** Reading changes nothing. A value that changes with each read was not changed by another client. */
export const readingPlay: Play = reading(
  'what is read, read again',
  [
    ...['listChatSessions', 'getPersona', 'getCredential', 'listCredentials', 'getConnector'],
    ...['getIndexingStatus', 'listProjects', 'getProjectDetails', 'getFile', 'getUserRole']
  ],
  async (scene) => {
    const { run, rows } = scene
    const before = await worldOf(run, rows)
    const found = differences(before, await worldOf(run, rows))
    const callOf = ({ place: [read = '', row] }: Difference): [id: string, input: Input] => {
      const id = read.split(' ')[0] as string
      const [parameter] = Object.keys((run.operation(id).input.path?.properties ?? {}) as object)
      return [id, parameter !== undefined && row !== undefined ? { path: { [parameter]: row } } : {}]
    }
    for (const [, group] of groupBy(found, (it) => JSON.stringify([it.place[0], callOf(it)]))) {
      const [first] = group as [Difference]
      const [id, input] = callOf(first)
      const [read = ''] = first.place
      const as = read.includes('second') ? 'user' : 'admin'
      let each = new Set(group.map(({ key }) => key))
      let last = await worldBy(run, [[id, input, as]])
      for (let look = 1; look < times && each.size > 0; look++) {
        const now = await worldBy(run, [[id, input, as]])
        const changed = differences(last, now).map(({ key }) => key)
        each = new Set(changed.filter((key) => each.has(key)))
        last = now
      }
      const [key] = each
      if (key === undefined) continue
      await scene.ask(id, input, as)
      return void scene.check('others_untouched', id, false, 'the same each time', `each time another ${key}`)
    }
  }
)

/** Another client does not change it between every two reads. */
const times = 5
