import { type Difference, differences, type World, worldBy, worldOf } from '../../world.js'
import type { Play } from './scene.js'

/** Reading changes nothing. What changes each time that it is read is not somebody else's doing. */
export const readingPlay: Play = {
  title: 'what is read, read again',
  operations: [
    'listChatSessions',
    'getPersona',
    'getCredential',
    'listCredentials',
    'getConnector',
    'getIndexingStatus',
    'listProjects',
    'getProjectDetails',
    'getFile',
    'getUserRole'
  ],
  mutating: false,
  async play(scene) {
    const { run, rows } = scene
    const before = await worldOf(run, rows)
    for (const { place, key } of differences(before, await worldOf(run, rows))) {
      const [read = '', row] = place
      const id = read.split(' ')[0] as string
      const [parameter] = Object.keys((run.operation(id).input.path?.properties ?? {}) as object)
      const input = parameter !== undefined && row !== undefined ? { path: { [parameter]: row } } : {}
      const as = read.includes('second') ? 'user' : 'admin'
      const looks: World[] = []
      while (looks.length < times) looks.push(await worldBy(run, [[id, input, as]]))
      const isEach = looks.every((now, n) => n === 0 || isIn(differences(looks[n - 1] as World, now), key))
      if (!isEach) continue
      await scene.ask(id, input, as)
      return void scene.check('others_untouched', id, false, 'the same each time', `each time another ${key}`)
    }
  }
}

/** Somebody else does not change it between any two looks. */
const times = 5

const isIn = (found: Difference[], key: string) => found.some((it) => it.key === key)
