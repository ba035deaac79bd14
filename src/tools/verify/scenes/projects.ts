import { someValue } from '../inputs/generate.js'
import { changing, type Play, reading } from './any/scene.js'

/** Fields that a list and a single project share. */
const named = ['id', 'name', 'description', 'created_at', 'user_id', 'instructions'] as const

/** E21 to E23. */
export const projectPlays: Play[] = [
  reading('listed projects are found', ['listProjects', 'getProjectDetails'], async (scene) => {
    const projects = await scene.must('listProjects')
    scene.unique('listProjects', projects)
    for (const listed of projects.slice(0, 5)) {
      const { project } = await scene.must('getProjectDetails', { path: { project_id: listed.id } })
      const differing = named.filter((name) => (project[name] ?? null) !== (listed[name] ?? null))
      const expected = differing.map((name) => `${name} ${JSON.stringify(listed[name])}, as listed`).join(', ')
      scene.check('values_read_back', 'getProjectDetails', differing.length === 0, expected)
    }
  }),
  changing(
    'instructions are stored and read back',
    ['setProjectInstructions', 'getProjectDetails', 'listProjects'],
    async (scene) => {
      const { run } = scene
      const project_id = await scene.own('project')
      const path = { project_id }
      const before = (await scene.must('getProjectDetails', { path })).project.instructions
      for (let n = 0; n < Math.max(2, run.settings.cases); n++) {
        const instructions = `${run.mark('instructions')} ${someValue(run.readings.first, { type: 'string' }, run.random)}`
        const told = await scene.must('setProjectInstructions', {
          path,
          body: { instructions }
        })
        const expected = `the instructions ${JSON.stringify(instructions)}`
        const isTold = told.instructions === instructions
        scene.check('instructions_read_back', 'setProjectInstructions', isTold, expected)
        const { project } = await scene.must('getProjectDetails', { path })
        const isRead = project.instructions === instructions
        scene.check('instructions_read_back', 'setProjectInstructions', isRead, `${expected} in E22`)
        const projects = await scene.must('listProjects')
        const listed = projects.find(({ id }) => id === project_id)?.instructions
        scene.check('instructions_read_back', 'listProjects', listed === instructions, `${expected} in E21`)
      }
      const none = await scene.ask('setProjectInstructions', { path, body: { instructions: '' } }, 'admin', 'missing')
      if (none.reply.status < 300) {
        const left = (await scene.must('getProjectDetails', { path })).project.instructions ?? ''
        const isNone = left === ''
        scene.check('instructions_read_back', 'setProjectInstructions', isNone, 'no instructions: they were set to ""')
      }
      if (before) await scene.must('setProjectInstructions', { path, body: { instructions: before } })
    }
  )
]
