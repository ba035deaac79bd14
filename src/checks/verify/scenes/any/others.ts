import type { ValidateToolReply } from '../../../../contract/types.gen.js'
import type { Input } from '../../calls/request.js'
import { Stopped } from '../../calls/unreachable.js'
import { changing, type Play, reading, type Scene } from './scene.js'

/** E17 to E19. */
export const otherPlays: Play[] = [
  changing('files are uploaded', ['uploadConnectorFiles'], async (scene) => {
    const { body: example } = exampleOf(scene, 'uploadConnectorFiles')
    const { files } = example as { files: { 'x-file': { name: string; type: string; text: string } }[] }
    const long = { name: 'KCM-Verify_Quarterly.Report-2026.txt', type: 'text/plain', text: 'Up.' }
    const body = { files: [...files, { 'x-file': long }] }
    const sent = body.files.map((file) => file['x-file'].name)
    const { file_names, file_paths } = await scene.must('uploadConnectorFiles', { body })
    const isNamed = JSON.stringify([...file_names].sort()) === JSON.stringify([...sent].sort())
    scene.check('values_read_back', 'uploadConnectorFiles', isNamed, `the file_names ${sent.join(', ')}`)
    const isPaired = file_paths.length === file_names.length
    scene.check('values_read_back', 'uploadConnectorFiles', isPaired, 'a path for every name')
    // A server may change such a name, but it reads it as UTF-8 (RFC 7578, 5.1).
    const far = { 'x-file': { name: 'Übersicht 東京.txt', type: 'text/plain', text: 'Up.' } }
    const { reply: added } = await scene.ask('uploadConnectorFiles', { body: { files: [far] } })
    const shown = added.status < 300 ? JSON.stringify((added.body as { file_names: string[] }).file_names) : ''
    const isRead = !shown.includes(Buffer.from(far['x-file'].name).toString('latin1'))
    scene.check('values_read_back', 'uploadConnectorFiles', isRead, `the name ${far['x-file'].name}`)
    scene.unique('uploadConnectorFiles', file_paths)
    const none = await scene.ask('uploadConnectorFiles', { body: { note: 'no file' } })
    const isRefused = none.reply.status >= 400
    scene.check('negative_data_rejection', 'uploadConnectorFiles', isRefused, '422: the form has no file')
    const name = 'same.txt'
    const twice = ['one', 'two'].map((text) => ({ 'x-file': { name, type: 'text/plain', text } }))
    const paths = [...file_paths]
    for (const file of twice) {
      paths.push(...(await scene.must('uploadConnectorFiles', { body: { files: [file] } })).file_paths)
    }
    const both = (await scene.ask('uploadConnectorFiles', { body: { files: twice } })).reply
    // A server may refuse two of one name, or keep one of them, but it does not lose both.
    const told = both.status < 300 ? (both.body as { file_paths: string[] }).file_paths : []
    const isSome = both.status >= 300 || told.length === 2 || told.length === 1
    scene.check('values_read_back', 'uploadConnectorFiles', isSome, `one or two paths of two files ${name}`)
    if (told.length > 0) scene.run.answers.add('upload.same-names', told.length === 1 ? 'once' : 'kept', scene.title)
    scene.unique('uploadConnectorFiles', [...paths, ...told])
    const corrupt = { 'x-file': { name: 'corrupt.zip', type: 'application/zip', text: 'PK no zip' } }
    const { reply } = await scene.ask('uploadConnectorFiles', { body: { files: [corrupt] } }, 'admin', 'corrupt-zip')
    const choice = reply.status < 300 ? 'stored' : reply.status === 422 ? 'expanded' : 'expanded-or-400'
    scene.run.answers.add('upload.zip', choice, 'a corrupt zip')
  }),
  reading("a tool's definition is checked", ['validateTool'], async (scene) => {
    const { methods } = await scene.must('validateTool', exampleOf(scene, 'validateTool'))
    const [method] = methods
    await severalMethods(scene)
    const isOne = methods.length === 1 && method?.path === '/forecast' && method.method.toLowerCase() === 'get'
    scene.check('values_read_back', 'validateTool', isOne, 'one method, get /forecast')
    // The description does not say what a definition must have.
    const exchange = await scene.ask('validateTool', { body: { definition: {} } }, 'admin', 'bad-definition')
    const { status, body } = exchange.reply
    scene.run.answers.add('tool.definition', status < 300 ? 'any' : String(status), 'an empty definition')
    const none = status >= 300 || (body as ValidateToolReply).methods.length === 0
    scene.check('values_read_back', 'validateTool', none, 'no method: the definition has none')
  }),
  reading('the content of web pages', ['openUrls'], async (scene) => {
    const input = exampleOf(scene, 'openUrls')
    const { urls } = input.body as { urls: string[] }
    const { results } = await scene.must('openUrls', input)
    scene.check('filter_respected', 'openUrls', results.length <= urls.length, `at most ${urls.length} pages`)
    const { content } = results[0] ?? {}
    if (content !== undefined) scene.run.answers.add('web.content', content === '' ? 'blank' : 'generated', scene.title)
  })
]

/** Every method of every path must be listed, with its description. */
async function severalMethods(scene: Scene): Promise<void> {
  const operation = (operationId: string) => ({ operationId, summary: `Does ${operationId}` })
  const paths = {
    '/items': { get: operation('listItems'), post: operation('makeItem') },
    '/orders': { delete: operation('dropOrder') }
  }
  const servers = [{ url: 'https://tools.example.com' }]
  const definition = { openapi: '3.0.0', info: { title: 'Items', version: '1', description: 'Items.' }, servers, paths }
  const { reply } = await scene.ask('validateTool', { body: { definition } }, 'admin', 'bad-definition')
  if (reply.status >= 300)
    return scene.run.results.couldNot('validateTool', 'several methods', 'the server refuses them')
  const { methods } = reply.body as ValidateToolReply
  for (const { name, spec } of methods) {
    const others = methods.filter((it) => it.name !== name && JSON.stringify(spec).includes(it.name))
    const isOwn = others.length === 0 || JSON.stringify(spec).includes(name)
    scene.check('values_read_back', 'validateTool', isOwn, `the spec of ${name}`, `that of ${others[0]?.name}`)
  }
  const told = methods.map(({ path, method, name, summary }) => [method.toLowerCase(), path, name, summary].join(' '))
  const wanted = Object.entries(paths).flatMap(([path, row]) =>
    Object.entries(row).map(([method, it]) => [method, path, it.operationId, it.summary].join(' '))
  )
  const isWhole = JSON.stringify(told.sort()) === JSON.stringify(wanted.sort())
  scene.check('values_read_back', 'validateTool', isWhole, `the methods ${wanted.join(', ')}`, told.join(', '))
}

function exampleOf(scene: Scene, id: string): Input {
  const [example] = Object.values(scene.run.operation(id).examples)
  if (!example) throw new Stopped('the contract has no example')
  return example
}
