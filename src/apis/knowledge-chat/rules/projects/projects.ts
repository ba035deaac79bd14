import type { Project, Rows } from '../../types.gen.js'
import { sessionsOfProject, summary } from '../chat/sessions.js'
import { checkLinkable, isGone, ownFile, snapshot, statusOf } from '../files/files.js'
import { type Context, foundBy, inOrder, missing, nothingLeft, type Rules } from '../rule.js'

/** Projects: E21 to E24. Only its owner sees a project. */
export const projectRules: Rules<'projects'> = {
  /** E21 */
  listProjects(_input, context) {
    const own = [...context.rows.projects.where('byUser', context.user.id)]
    return inOrder(context, own).map((row) => project(context, row))
  },

  /** E22: files, last linked first, and which agents of the project's sessions are default ones. */
  getProjectDetails({ path }, context) {
    const { rows } = context
    const row = ownProject(context, path.project_id)
    const links = [...rows.projectFiles.where('byProject', row.id, { descending: true })]
    const linked = foundBy(links, (link) => rows.userFiles.get(link.user_file_id))
    const files = linked.filter((file) => isListed(context, file))
    const personas = foundBy(sessionsOfProject(context, row.id), (session) => rows.personas.get(session.persona_id))
    return {
      project: project(context, row),
      files: inOrder(context, files).map((file) => snapshot(context, file, row.id)),
      persona_id_to_is_default: Object.fromEntries(personas.map((it) => [it.id, isDefault(context, it)]))
    }
  },

  /** E23 */
  setProjectInstructions({ path, body: { instructions, ...rest } }, context) {
    nothingLeft(rest)
    const row = ownProject(context, path.project_id)
    context.rows.projects.put({ ...row, instructions })
    return { instructions }
  },

  /** E24, rule 3.3: creates the association only if there is none. */
  linkFile({ path }, context) {
    const { rows, ids, now } = context
    const row = ownProject(context, path.project_id)
    const file = ownFile(context, path.file_id)
    checkLinkable(context, file)
    const links = [...rows.projectFiles.where('byFile', file.id)]
    if (!links.some((link) => link.project_id === row.id)) {
      rows.projectFiles.put({
        id: ids.next('projectFiles'),
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
  return { ...row, chat_sessions: sessionsOfProject(context, row.id).map((it) => summary(context, it)) }
}

/** The value for an agent in the map of E22. */
function isDefault(context: Context, persona: Rows['personas']): boolean {
  const isOffered = context.assume('projects.default-map') === 'is-default'
  return isOffered ? persona.is_default_persona : persona.builtin_persona
}

function isListed(context: Context, file: Rows['userFiles']): boolean {
  if (isGone(file, context.now)) return false
  return statusOf(context, file) !== 'FAILED' || context.assume('projects.failed-files') === 'listed'
}
