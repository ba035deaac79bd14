import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Choices, isObject, shown } from '../../engine/contract/load.js'
import { fieldsIn } from '../../engine/contract/validation/field-choices.js'
import { makeFolder } from '../../engine/keep/make-folder.js'

/** A choice of a service, with the days when a run first and last saw it: `2026-03-03`. */
interface Seen {
  choice: string
  since: string
  seen: string
}

/** A choice that is another one than in an earlier run. */
export interface Change {
  id: string
  was: string
  /** The last day when a run saw the earlier choice. */
  seen: string
  is: string
}

/** Adds what a run learned to a file. Returns what has changed since the runs before. */
export function keepLearned(file: string, run: { assume: Choices; startedAt: string }): Change[] {
  const choices = readLearned(file)
  const day = run.startedAt.slice(0, 10)
  const changes: Change[] = []
  for (const [id, choice] of Object.entries(run.assume)) {
    const before = choices[id]
    if (before?.choice.startsWith('fields:') && choice.startsWith('fields:')) {
      // A run sees some of the fields only.
      const all = new Set([...fieldsIn(before.choice), ...fieldsIn(choice)])
      choices[id] = { ...before, choice: `fields:${[...all].join(',')}`, seen: day }
    } else if (before?.choice === choice) choices[id] = { ...before, seen: day }
    else {
      if (before) changes.push({ id, was: before.choice, seen: before.seen, is: choice })
      choices[id] = { choice, since: day, seen: day }
    }
  }
  makeFolder(dirname(file))
  const sorted = Object.fromEntries(Object.entries(choices).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify({ choices: sorted }, null, 2)}\n`)
  return changes
}

/** What earlier runs learned. Throws an Error if the file is another one. */
export function readLearned(file: string): Record<string, Seen> {
  if (!existsSync(file)) return {}
  try {
    const { choices } = JSON.parse(readFileSync(file, 'utf8'))
    if (isObject(choices)) return choices as unknown as Record<string, Seen>
  } catch {}
  throw new Error(`learned (--learned) ${shown(file)} is not a file of an earlier run.`)
}

/** A change in words: `delete.body was 204 on 3 March, is empty now`. */
export function changeText({ id, was, seen, is }: Change, startedAt: string): string {
  const isOfYear = seen.slice(0, 4) === startedAt.slice(0, 4)
  const day = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    ...(!isOfYear && { year: 'numeric' }),
    timeZone: 'UTC'
  })
  return `${id} was ${was} on ${day.format(new Date(seen))}, is ${is} now`
}
