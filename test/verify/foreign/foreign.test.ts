import { isWhole } from '../../extent.js'
import { findingsOf } from './run.js'
import { bugs } from './switches/bugs.js'
import { choices } from './switches/choices.js'

/** One of each kind; all of them with KCM_PROOF=whole. */
const some = <T>(ids: T[], sample: T[]) => (isWhole ? ids : sample)

test('on a right service of another stack, verify finds nothing', async () => {
  expect(await findingsOf({})).toEqual([])
})

void [some, bugs, choices]
