import type { Project, Rows } from '../contract/types.gen.js'
import { isGone, ownFile, snapshot, statusOf } from './files.js'
import { type Context, missing, type Rules } from './rule.js'
import { sessionsOfProject, summary } from './sessions.js'

/** Projects: E21 to E24. A project is its owner's alone. */
export const projectRules: Rules<'projects'> = {
  /** E21 */
  listProjects(_input, context) {
    return [...context.rows.projects.where('byUser', context.user.id)].map((row) => project(context, row))
  },

  /** E22: files, last linked first; which agents of the project's sessions are default ones. */
  getProjectDetails({ path }, context) {
    const { rows } = context
    const row = ownProject(context, path.project_id)
    const links = [...rows.projectFiles.where('byProject', row.id, { descending: true })]
    const files = links.flatMap((link) => rows.userFiles.get(link.user_file_id) ?? [])
    const personas = sessionsOfProject(context, row.id).flatMap(
      (session) => rows.personas.get(session.persona_id) ?? []
    )
    return {
      project: project(context, row),
      files: files.filter((file) => isListed(context, file)).map((file) => snapshot(context, file, row.id)),
      persona_id_to_is_default: Object.fromEntries(personas.map((it) => [it.id, it.is_default_persona]))
    }
  },

  /** E23 */
  setProjectInstructions({ path, body }, context) {
    const row = ownProject(context, path.project_id)
    context.rows.projects.put({ ...row, instructions: body.instructions })
    return { instructions: body.instructions }
  },

  /** E24, rule 3.3: the association is made only if there is none. */
  linkFile({ path }, context) {
    const { rows, ids, now } = context
    const row = ownProject(context, path.project_id)
    const file = ownFile(context, path.file_id)
    const links = [...rows.projectFiles.where('byFile', file.id)]
    if (!links.some((link) => link.project_id === row.id)) {
      rows.projectFiles.put({
        id: ids.next('projectFiles', rows),
        project_id: row.id,
        user_file_id: file.id,
        linked_at: now
      })
    }
    return snapshot(context, file, row.id)
  }
}

function ownProject(context: Context, id: number): Rows['projects'] {
  const row = context.rows.projects.get(id)
  if (row?.user_id !== context.user.id) throw missing(row, { kind: 'Project', project_id: id })
  return row
}

/** A project as responses show it (2.12). */
function project(context: Context, row: Rows['projects']): Project {
  return { ...row, chat_sessions: sessionsOfProject(context, row.id).map(summary) }
}

function isListed(context: Context, file: Rows['userFiles']): boolean {
  if (isGone(file, context.now)) return false
  return statusOf(context, file) !== 'FAILED' || context.assume('projects.failed-files') === 'listed'
}
