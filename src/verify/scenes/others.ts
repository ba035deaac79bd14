import type { Input } from '../request.js'
import { type Play, type Scene, Stopped } from './scene.js'

/** E17 to E19. */
export const otherPlays: Play[] = [
  {
    title: 'files are uploaded',
    operations: ['uploadConnectorFiles'],
    mutating: true,
    async play(scene) {
      const { body } = exampleOf(scene, 'uploadConnectorFiles')
      const sent = (body as { files: { 'x-file': { name: string } }[] }).files.map((file) => file['x-file'].name)
      const { file_names, file_paths } = await scene.must('uploadConnectorFiles', { body })
      const isNamed = JSON.stringify([...file_names].sort()) === JSON.stringify([...sent].sort())
      scene.check('values_read_back', 'uploadConnectorFiles', isNamed, `the file_names ${sent.join(', ')}`)
      const isPaired = file_paths.length === file_names.length
      scene.check('values_read_back', 'uploadConnectorFiles', isPaired, 'a path for every name')
      scene.unique('uploadConnectorFiles', file_paths)
      const corrupt = { 'x-file': { name: 'corrupt.zip', type: 'application/zip', text: 'PK no zip' } }
      const { reply } = await scene.ask('uploadConnectorFiles', { body: { files: [corrupt] } }, 'admin', 'corrupt-zip')
      const choice = reply.status < 300 ? 'stored' : reply.status >= 500 ? 'expanded-or-500' : 'expanded'
      scene.run.answers.add('upload.zip', choice, 'a corrupt zip')
    }
  },
  {
    title: "a tool's definition is checked",
    operations: ['validateTool'],
    mutating: false,
    async play(scene) {
      const { methods } = await scene.must('validateTool', exampleOf(scene, 'validateTool'))
      const [method] = methods
      const isOne = methods.length === 1 && method?.path === '/forecast' && method.method.toLowerCase() === 'get'
      scene.check('values_read_back', 'validateTool', isOne, 'one method, get /forecast')
      const exchange = await scene.ask('validateTool', { body: { definition: {} } }, 'admin', 'bad-definition')
      const { status } = exchange.reply
      if (!scene.check('negative_data_rejection', 'validateTool', status >= 400, 'a refusal: it defines nothing'))
        return
      scene.run.answers.add('tool.definition', String(status), 'an empty definition')
    }
  },
  {
    title: 'the content of web pages',
    operations: ['openUrls'],
    mutating: false,
    async play(scene) {
      const input = exampleOf(scene, 'openUrls')
      const { urls } = input.body as { urls: string[] }
      const { results } = await scene.must('openUrls', input)
      scene.check('filter_respected', 'openUrls', results.length <= urls.length, `at most ${urls.length} pages`)
      const { content } = results[0] ?? {}
      if (content !== undefined)
        scene.run.answers.add('web.content', content === '' ? 'blank' : 'generated', scene.title)
    }
  }
]

function exampleOf(scene: Scene, id: string): Input {
  const [example] = Object.values(scene.run.operation(id).examples)
  if (!example) throw new Stopped('the contract has no example')
  return example
}
