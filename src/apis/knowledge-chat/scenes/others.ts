import { mostOf } from '../../../tools/verify/phases/negative.js'
import type { FileUploadResult, ValidateToolReply } from '../types.gen.js'
import { changing, exampleOf, type Play, reading, type Scene } from './scene.js'

const upload = 'uploadConnectorFiles'

/** A text file in a form. */
export function textFile(name: string, text: string, type = 'text/plain') {
  return { 'x-file': { name, type, text } }
}

/** E17 to E19. */
export const otherPlays: Play[] = [
  changing('files are uploaded', [upload], async (scene) => {
    const { files } = exampleOf(scene, upload).body as { files: ReturnType<typeof textFile>[] }
    const body = { files: [...files, textFile('KCM-Verify_Quarterly.Report-2026.txt', 'Up.')] }
    const sent = body.files.map((file) => file['x-file'].name)
    const { file_names, file_paths } = await scene.must(upload, { body })
    const isNamed = JSON.stringify([...file_names].sort()) === JSON.stringify([...sent].sort())
    scene.check('values_read_back', upload, isNamed, `the file_names ${sent.join(', ')}`)
    const isPaired = file_paths.length === file_names.length
    scene.check('values_read_back', upload, isPaired, 'a path for every name')
    // A server may change such a name, but it reads it as UTF-8 (RFC 7578, 5.1).
    const far = 'Übersicht 東京.txt'
    const added = await scene.may(upload, { body: { files: [textFile(far, 'Up.')] } })
    const isRead = !JSON.stringify(added?.file_names ?? '').includes(Buffer.from(far).toString('latin1'))
    scene.check('values_read_back', upload, isRead, `the name ${far}`)
    scene.unique(upload, file_paths)
    const none = await scene.ask(upload, { body: { note: 'no file' } })
    scene.check('negative_data_rejection', upload, none.reply.status >= 400, '422: the form has no file')
    await sameNames(scene, file_paths)
    const corrupt = textFile('corrupt.zip', 'PK no zip', 'application/zip')
    const { status } = (await scene.ask(upload, { body: { files: [corrupt] } }, 'corrupt-zip')).reply
    const choice = status < 300 ? 'stored' : status === 422 ? 'expanded' : 'expanded-or-400'
    scene.answer('upload.zip', choice, 'a corrupt zip')
  }),
  reading("a tool's definition is checked", ['validateTool'], async (scene) => {
    const { methods } = await scene.must('validateTool', exampleOf(scene, 'validateTool'))
    const [method] = methods
    await severalMethods(scene)
    const isOne = methods.length === 1 && method?.path === '/forecast' && method.method.toLowerCase() === 'get'
    scene.check('values_read_back', 'validateTool', isOne, 'one method, get /forecast')
    // The description does not say what a definition must have.
    const { status, body } = (await scene.ask('validateTool', { body: { definition: {} } }, 'bad-definition')).reply
    scene.answer('tool.definition', status < 300 ? 'any' : String(status), 'an empty definition')
    const isNone = status >= 300 || (body as ValidateToolReply).methods.length === 0
    scene.check('values_read_back', 'validateTool', isNone, 'no method: the definition has none')
  }),
  reading('the content of web pages', ['openUrls'], async (scene) => {
    const input = exampleOf(scene, 'openUrls')
    const { urls } = input.body as { urls: string[] }
    const { results } = await scene.must('openUrls', input)
    scene.check('filter_respected', 'openUrls', results.length <= urls.length, `at most ${urls.length} pages`)
    const { content } = results[0] ?? {}
    if (content !== undefined) scene.answer('web.content', content === '' ? 'blank' : 'generated')
  })
]

/** Two files of one name have paths of their own. A server may refuse two at once, or keep one of them, but not lose both. */
async function sameNames(scene: Scene, before: string[]): Promise<void> {
  const name = 'same.txt'
  const files = [textFile(name, 'one'), textFile(name, 'two')]
  const paths = [...before]
  for (const file of files) paths.push(...(await scene.must(upload, { body: { files: [file] } })).file_paths)
  const { status, body } = (await scene.ask(upload, { body: { files } })).reply
  const together = status < 300 ? (body as FileUploadResult).file_paths : []
  const isSome = status >= 300 || together.length === 2 || together.length === 1
  scene.check('values_read_back', upload, isSome, `one or two paths of two files ${name}`)
  if (together.length > 0) scene.answer('upload.same-names', together.length === 1 ? 'once' : 'kept')
  scene.unique(upload, [...paths, ...together])
}

/** An OpenAPI document of a tool, with these paths. */
export function definitionOf(title: string, paths: object) {
  const info = { title, version: '1', description: `${title}.` }
  return { openapi: '3.0.0', info, servers: [{ url: 'https://tools.example.com' }], paths }
}

/** Every method of every path must be listed, with its description. */
async function severalMethods(scene: Scene): Promise<void> {
  const operation = (operationId: string) => ({ operationId, summary: `Does ${operationId}` })
  const paths = {
    '/items': { get: operation('listItems'), post: operation('makeItem') },
    '/orders': { delete: operation('dropOrder') }
  }
  const definition = definitionOf('Items', paths)
  const reply = await scene.may('validateTool', { body: { definition } as never }, 'bad-definition')
  if (!reply) return scene.couldNot('validateTool', 'the server refuses them', 'several methods')
  const { methods } = reply
  for (const { name, spec } of methods) {
    const text = JSON.stringify(spec)
    const others = methods.filter((it) => it.name !== name && text.includes(it.name))
    const isOwn = others.length === 0 || text.includes(name)
    scene.check('values_read_back', 'validateTool', isOwn, `the spec of ${name}`, `that of ${others[0]?.name}`)
  }
  const listed = methods.map(({ path, method, name, summary }) => [method.toLowerCase(), path, name, summary].join(' '))
  const wanted = Object.entries(paths).flatMap(([path, row]) =>
    Object.entries(row).map(([method, it]) => [method, path, it.operationId, it.summary].join(' '))
  )
  const isWhole = JSON.stringify(listed.sort()) === JSON.stringify(wanted.sort())
  scene.check('values_read_back', 'validateTool', isWhole, `the methods ${wanted.join(', ')}`, listed.join(', '))
}

const inviteUsers = 'inviteUsers'
const check = 'bulk_invite_all_or_nothing'

/** What the integer in the reply counts. Undefined: neither, so no call shows who is invited. */
type Meaning = 'list-size' | 'new' | undefined

/**
 * Texts that are hardly addresses, new in every run. The last three are not texts at all (E27: "validated as a
 * string").
 */
const badsOf = (scene: Scene) => [
  `not an ${scene.mark('address')}`,
  `@${scene.mark('host')}.example.com`,
  `${scene.mark('nobody')}@`,
  7,
  null,
  {}
]

/** E27: with one bad address, no one is invited. Addresses are under example.com, which has no users (RFC 2606). */
export const invitePlays: Play[] = [
  changing('a bulk invite with one bad address', [inviteUsers], async (scene) => {
    const meaning = await meaningOf(scene)
    if (meaning === 'refused') return
    for (const [at, bad] of badsOf(scene).slice(0, mostOf(scene.run)).entries()) {
      // A server may accept any text as an address.
      if (typeof bad === 'string' && (await isTaken(scene, bad, meaning))) {
        scene.answer('invites.addresses', 'any', `${JSON.stringify(bad)} as the only address`)
        continue
      }
      // Each place has a text and a value that is none.
      await refused(scene, bad, at % 3, meaning)
    }
  }),
  changing('bulk invites with a bad address by six requests at the same time', [inviteUsers], async (scene) => {
    const meaning = await meaningOf(scene)
    if (meaning === undefined || meaning === 'refused') return
    const before = await invite(scene)
    const goods = Array.from({ length: 6 }, () => address(scene, 'race'))
    await Promise.all(goods.map((good) => scene.run.exactly(inviteUsers, { body: { emails: [good, 7] } })))
    await uninvited(scene, meaning, before, goods, 'no one is invited')
  })
]

function address(scene: Scene, name: string): string {
  return `${scene.mark(name)}@example.com`
}

async function invite(scene: Scene, ...emails: string[]): Promise<number> {
  return Number((await scene.ask(inviteUsers, { body: { emails } })).reply.body)
}

/** The list must be as long as before. If the integer counts new users, the valid addresses must still be new. */
async function uninvited(scene: Scene, meaning: Meaning, before: number, goods: string[], what: string): Promise<void> {
  const after = meaning === 'list-size' ? await invite(scene) : await invite(scene, ...goods)
  const wanted = meaning === 'list-size' ? before : goods.length
  scene.check(check, inviteUsers, after === wanted, `${wanted}: ${what}`, String(after))
}

/** Whether a text on its own is accepted as an address. */
async function isTaken(scene: Scene, bad: string, meaning: Meaning): Promise<boolean> {
  const before = await invite(scene)
  const { status, body } = (await scene.ask(inviteUsers, { body: { emails: [bad] } }, 'bad-address')).reply
  // A server that answers with success but invites no one has left it out.
  return status < 300 && (meaning === undefined || body !== before)
}

/** Valid addresses with a bad one at some place. */
async function refused(scene: Scene, bad: unknown, place: number, meaning: Meaning): Promise<void> {
  const goods = [address(scene, 'first'), address(scene, 'second')]
  const before = await invite(scene)
  const emails = goods.toSpliced(place, 0, bad as string)
  const { status } = (await scene.ask(inviteUsers, { body: { emails } }, 'bad-address')).reply
  if (!scene.check(check, inviteUsers, status >= 300, `a refusal: ${JSON.stringify(bad)} is not an address`)) return
  if (typeof bad === 'string') scene.answer('invites.invalid', String(status))
  if (meaning !== undefined) await uninvited(scene, meaning, before, goods, `${goods.join(' and ')} are not invited`)
}

/** Finds what the integer counts, with a separate address. */
async function meaningOf(scene: Scene): Promise<Meaning | 'refused'> {
  const email = address(scene, 'control')
  const before = await invite(scene)
  const { status, body: once } = (await scene.run.ask(inviteUsers, { body: { emails: [email] } })).reply
  const subject = 'no one is invited'
  if (status >= 400 && status < 500) {
    scene.couldNot(inviteUsers, `the server invites no one under example.com (${status})`, subject)
    return 'refused'
  }
  const first = await invite(scene, email)
  const second = await invite(scene, email, address(scene, 'other'))
  const counts = [once, first, second].join()
  const meaning =
    counts === [before + 1, before + 1, before + 2].join()
      ? 'list-size'
      : before === 0 && counts === '1,0,1'
        ? 'new'
        : undefined
  if (meaning) scene.answer('invites.count', meaning, 'an address invited twice')
  else
    scene.couldNot(
      inviteUsers,
      `the integer counts something else (${before}, ${counts.replaceAll(',', ', ')})`,
      subject
    )
  return meaning
}
