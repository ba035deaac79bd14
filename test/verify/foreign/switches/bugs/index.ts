import type { Switches } from '../switch.js'
import { access, openToAll, withoutToken } from './access.js'
import { effects } from './effects.js'
import { failures } from './failures.js'
import { lists } from './lists.js'
import { others } from './others.js'
import { races } from './races.js'
import { refusals } from './refusals.js'
import { secrets } from './secrets.js'
import { shapes } from './shapes.js'
import { unchecked } from './unchecked.js'
import { ignoredFields, values } from './values.js'

const named = { ...access, ...others, ...effects, ...values, ...lists, ...races, ...failures, ...secrets }

/** A bug that the service asks for by its name. */
export type Bug = keyof typeof named

/** What the description forbids, by kind. */
export const bugsByKind: Record<string, Switches> = {
  'tokens and roles': { ...access, ...withoutToken, ...openToAll },
  "other users' rows": others,
  'writes and side effects': effects,
  'values read back': { ...values, ...ignoredFields },
  'lists, filters and pages': lists,
  'constraints that are not checked': unchecked,
  'requests that make it fail': failures,
  'requests at the same time': races,
  'forms of answers': shapes,
  'forms of refusals': refusals,
  secrets
}

export const bugs: Switches = Object.assign({}, ...Object.values(bugsByKind))
