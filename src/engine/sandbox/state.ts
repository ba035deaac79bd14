import type { Choices } from '../contract/load.js'
import type { Journal } from '../journal/journal.js'
import type { Overrides } from '../overrides/overrides.js'
import type { Store } from '../store/rows.js'
import type { Base } from './bases.js'
import type { Chance } from './chance.js'
import type { Clock } from './clock.js'
import type { Ids } from './ids.js'

export interface State {
  fixtures: string
  /** The base of the rows. Undefined if they came from outside. */
  base: Base | undefined
  rows: Store
  ids: Ids
  clock: Clock
}

/** A state with the parts that answer its requests. */
export interface LiveState extends State {
  choices: Choices
  overrides: Overrides
  chance: Chance
  readonly journal: Journal
}
