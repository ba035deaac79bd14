import type { LifecycleStep } from '../../../../engine/api.js'
import type { Rows, UserFile, UserFileStatus } from '../../types.gen.js'
import { unlinkFile } from '../indexing/removal.js'
import {
  type Context,
  foundBy,
  type LifecycleContext,
  later,
  missing,
  Refusal,
  type Rules,
  type StatusContext
} from '../rule.js'

/** Milliseconds that a deleted file stays readable. */
export const deletionTime = 2000

/** User files: E25 and E26. */
export const fileRules: Rules<'files'> = {
  /** E25, rule 3.1: the caller's file in any status, so that clients can poll. */
  getFile({ path }, context) {
    const stored = ownFile(context, path.file_id)
    if (stored.status === 'DELETING' && deletion(context) !== 'readable') throw noFile(path.file_id)
    const isSeen = context.assume('files.last-accessed') === 'read'
    const file = isSeen ? context.rows.userFiles.put({ ...stored, last_accessed_at: context.now }) : stored
    const reply = snapshot(context, file)
    if (reply.status === 'PROCESSING' && lifecycle(context).startsWith('after-')) {
      context.rows.userFiles.put({ ...file, reads: file.reads + 1 })
    }
    return reply
  },

  /** E26, rule 3.2: the names are those of the projects and agents that had the file. */
  deleteFile({ path }, context) {
    const { rows, now } = context
    const file = ownFile(context, path.file_id)
    if (file.status === 'DELETING' && context.assume('files.deletion-again') === 'missing') throw noFile(file.id)
    const links = [...rows.projectFiles.where('byFile', file.id)]
    const having = [...rows.personas.where('byFile', file.id)]
    const assistants = having.length > 0 && context.assume('files.assistants') === 'none' ? [] : having
    const reply = {
      has_associations: links.length > 0 || assistants.length > 0,
      project_names: foundBy(links, (link) => rows.projects.get(link.project_id)?.name),
      assistant_names: assistants.map((persona) => persona.name)
    }
    if (reply.has_associations && context.assume('files.deletion') === 'refused') return reply
    if (reply.has_associations) reply.has_associations = context.assume('files.deletion-report') === 'before'
    unlinkFile(context, file)
    if (deletion(context) === 'removed') rows.userFiles.remove(file.id)
    else if (file.status !== 'DELETING') {
      rows.userFiles.put({ ...file, status: 'DELETING', settles_at: later(now, deletionTime) })
    }
    return reply
  }
}

/** The caller's file, or a refusal. Once its deletion has ended, a file is gone. */
export function ownFile(context: Context, id: string): Rows['userFiles'] {
  const row = context.rows.userFiles.get(id)
  if (!row || isGone(row, context.now)) throw noFile(id)
  if (row.user_id !== context.user.id) throw noFile(id, row)
  return row
}

function noFile(file_id: string, row?: Rows['userFiles']) {
  return missing(row, { kind: 'File', file_id })
}

/** Refuses a file whose status does not allow linking. */
export function checkLinkable(context: Context, file: Rows['userFiles']): void {
  const status = statusOf(context, file)
  if (status === 'PROCESSING' || status === 'COMPLETED' || context.assume('files.linkable') === 'any-status') return
  throw new Refusal('not-linkable', { status })
}

/** A file as responses show it (2.11), in the project of the request or, by default, its latest one. */
export function snapshot(context: Context, row: Rows['userFiles'], project = lastProject(context, row)): UserFile {
  const status = statusOf(context, row)
  const isFinished = status === 'COMPLETED' || status === 'DELETING'
  const counted = isFinished || context.assume('files.counts') === 'always'
  return {
    id: row.id,
    name: row.name,
    user_id: row.user_id,
    file_id: row.file_id,
    created_at: context.assume('files.times') === 'z' ? row.created_at : row.created_at.replace('Z', ''),
    status,
    last_accessed_at: row.last_accessed_at,
    file_type: row.file_type,
    chat_file_type: row.chat_file_type,
    token_count: counted ? row.token_count : null,
    chunk_count: counted ? row.chunk_count : null,
    temp_id: row.temp_id !== null && context.assume('files.temp-id') === 'stored' ? row.temp_id : null,
    project_id: project !== null && context.assume('files.project-id') === 'linked' ? project : null
  }
}

export function isGone(row: Rows['userFiles'], now: string): boolean {
  return row.status === 'DELETING' && row.settles_at !== null && row.settles_at <= now
}

/** The status of a file at this moment, as a function of the clock or of the number of reads. */
export function statusOf(context: LifecycleContext, row: Rows['userFiles']): UserFileStatus {
  if (row.status !== 'PROCESSING') return row.status
  const choice = lifecycle(context)
  switch (choice) {
    case 'clock':
      return row.settles_at !== null && row.settles_at <= context.now ? row.settles_as : 'PROCESSING'
    case 'immediate':
      return row.settles_as
    case 'manual':
      return 'PROCESSING'
    default:
      return row.reads >= readsOf(choice) ? row.settles_as : 'PROCESSING'
  }
}

/** The next step of a file. Undefined if there is none. */
export function nextStep(context: LifecycleContext, row: Rows['userFiles']): LifecycleStep | undefined {
  const { status, settles_at, settles_as, reads } = row
  if (status === 'DELETING')
    return isGone(row, context.now) ? undefined : { next: settles_at && 'gone', at: settles_at }
  if (statusOf(context, row) !== 'PROCESSING') return undefined
  const choice = lifecycle(context)
  if (choice === 'manual') return { next: null, at: null }
  if (choice === 'clock') return { next: settles_at && settles_as, at: settles_at }
  return { next: settles_as, at: null, reads_left: readsOf(choice) - reads }
}

/** The n of `after-<n>-reads`. */
function readsOf(choice: string): number {
  return Number(choice.replace(/\D/g, ''))
}

function lifecycle(context: LifecycleContext) {
  return context.assume('files.lifecycle')
}

function deletion(context: Context) {
  return context.assume('files.deleting')
}

function lastProject({ rows }: Context, row: Rows['userFiles']): number | null {
  let last: number | null = null
  for (const link of rows.projectFiles.where('byFile', row.id)) last = link.project_id
  return last
}

export const fileStages = [['PROCESSING'], ['COMPLETED', 'FAILED', 'CANCELED'], ['DELETING'], ['gone']] as const
export type FileStatus = (typeof fileStages)[number][number]

/** Milliseconds that a file stays PROCESSING after it was set to it. */
const processingTime = 3000

export function moveFile({ rows, now }: StatusContext, file: Rows['userFiles'], to: FileStatus): void {
  if (to === 'DELETING' || to === 'gone') unlinkFile({ rows }, file)
  if (to === 'gone') rows.userFiles.remove(file.id)
  else if (to === 'DELETING') rows.userFiles.put({ ...file, status: to, settles_at: later(now, deletionTime) })
  else {
    const settles_as = to === 'PROCESSING' ? 'COMPLETED' : to
    const settles_at = to === 'PROCESSING' ? later(now, processingTime) : null
    rows.userFiles.put({ ...file, ...countsOf(file, settles_as), status: to, settles_as, settles_at, reads: 0 })
  }
}

/** The counts of a file. Missing counts follow from its id. */
function countsOf(file: Rows['userFiles'], settles_as: string): Pick<Rows['userFiles'], 'token_count' | 'chunk_count'> {
  if (settles_as !== 'COMPLETED') return { token_count: null, chunk_count: null }
  const drawn = Number.parseInt(file.id.slice(0, 8), 16)
  const chunk_count = file.chunk_count ?? 1 + (drawn % 60)
  return { chunk_count, token_count: file.token_count ?? chunk_count * 512 - (drawn % 512) }
}
