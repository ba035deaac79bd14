import type { Json } from '../../../engine/contract/load.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { FileUploadResult, ValidateToolReply } from '../types.gen.js'
import { changing, exampleOf, type Play, reading, type Scene } from './scene.js'

const upload = 'uploadConnectorFiles'

function textFile(name: string, text: string, type = 'text/plain') {
  return { 'x-file': { name, type, text } }
}

/** E17 to E19. */
export const otherPlays: Play[] = [
  changing('files are uploaded, several of one name', [upload], async (scene) => {
    // No operation deletes them, so few are uploaded: fewer if the server has stored a zip.
    const [far, same] = ['Übersicht 東京.txt', `KCM-Verify Quarterly_Report-${scene.mark('q')}.txt`]
    const again = scene.run.answers.get('upload.zip') === 'stored' ? [] : [textFile(same, 'Up again.')]
    const filesOf = (content: string) => [textFile(far, content), textFile(same, 'Up 1.'), ...again]
    const [one, second] = await scene.atOnce(2, (n) => {
      return [upload, { body: { files: n === 0 ? filesOf('') : [textFile(same, 'Up 2.')] } }]
    })
    if (!one || !second) return
    // A server may take no empty file.
    const first = one.reply.status < 300 ? one : await scene.ask(upload, { body: { files: filesOf('a\u0000b') } })
    for (const { reply, call } of [first, second]) {
      const sent = call.parts?.map(({ file }) => file?.name) ?? []
      if (reply.status >= 300) throw new Stopped(`the server refuses ${sent.join(' and ')} (${reply.status})`)
      const { file_names, file_paths } = reply.body as FileUploadResult
      // A server may change a name that is not ASCII, but it reads it as UTF-8 (RFC 7578, 5.1).
      const isNamed = file_names.length === sent.length && file_names.at(-1) === same
      scene.check('values_read_back', upload, isNamed, `the file_names ${sent.join(', ')}`, file_names.join(', '))
      const isRead = !JSON.stringify(file_names).includes(Buffer.from(far).toString('latin1'))
      scene.check('values_read_back', upload, isRead, `the name ${far}`)
      scene.check('values_read_back', upload, file_paths.length === file_names.length, 'a path for every name')
    }
    const paths = [first, second].flatMap(({ reply }) => (reply.body as FileUploadResult).file_paths)
    scene.unique(upload, paths)
    const zip = { 'x-file': { name: 'kcm.zip', type: 'application/zip', base64: twoFiles } }
    const isOpened = scene.run.answers.get('upload.zip')?.startsWith('expanded')
    const reply = isOpened && (await scene.may(upload, { body: { files: [zip] } }, 'corrupt-zip'))
    const isWhole = !reply || reply.file_names.filter((name) => /kcm-[12]\.txt$/.test(name)).length === 2
    scene.check('values_read_back', upload, isWhole, 'kcm-1.txt and kcm-2.txt, which are in the zip')
    const none = await scene.ask(upload, { body: { note: 'no file' } })
    scene.check('negative_data_rejection', upload, none.reply.status >= 400, '422: the form has no file')
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
    const count = async (some: string[]) => {
      const { results } = await scene.must('openUrls', { body: { urls: some } })
      scene.unique('openUrls', results.map((it) => it.unique_identifier_to_strip_away).filter(Boolean))
      for (const { content, unique_identifier_to_strip_away: url } of results) {
        const other = content.includes(url) ? undefined : several.find((it) => content.includes(it))
        const isOwn = other === undefined || !several.includes(url)
        scene.check('values_read_back', 'openUrls', isOwn, `the content of ${url}`, `that of ${other}`)
      }
      return results.length
    }
    const { results } = await scene.must('openUrls', input)
    scene.check('filter_respected', 'openUrls', results.length <= urls.length, `at most ${urls.length} pages`)
    const several = ['com/1', 'org/2', 'net/3', 'com/4', 'org/5', 'net/6'].map((it) => `https://example.${it}-kcm`)
    let alone = 0
    for (const url of several) alone += await count([url])
    // A page may be gone for a moment.
    const isWhole = (await count(several)) === alone || (await count(several)) === alone
    scene.check('ensure_resource_availability', 'openUrls', isWhole, `the ${alone} pages that single requests find`)
    // A server may refuse a host that does not exist, but not fail.
    const [one = ''] = several
    const mixed = await scene.may('openUrls', { body: { urls: ['https://kcm-verify.invalid/', one] } })
    const isOpened = !mixed || mixed.results.length >= (await count([one]))
    scene.check('ensure_resource_availability', 'openUrls', isOpened, `${one}, after a host that does not exist`)
    await scene.may('openUrls', { body: { urls: ['https://example.com/Übersicht-東京'] } })
    const { content } = results[0] ?? {}
    if (content !== undefined) scene.answer('web.content', content === '' ? 'blank' : 'generated')
  })
]

/** A zip with the files kcm-1.txt and kcm-2.txt. */
const twoFiles =
  'UEsDBBQAAAAAAIMYIlpS2BDGAwAAAAMAAAAJAAAAa2NtLTEudHh0a2NtUEsDBBQAAAAAAIMYIlpS2BDGAwAAAAMAAAAJAAAAa2NtLTIudHh0a2NtUEsBAhQDFAAAAAAAgxgiWlLYEMYDAAAAAwAAAAkAAAAAAAAAAAAAAIABAAAAAGtjbS0xLnR4dFBLAQIUAxQAAAAAAIMYIlpS2BDGAwAAAAMAAAAJAAAAAAAAAAAAAACAASoAAABrY20tMi50eHRQSwUGAAAAAAIAAgBuAAAAVAAAAAAA'

/** An empty zip with an unusual name, and if that is refused a corrupt one. */
export async function corruptZip(scene: Scene): Promise<void> {
  const send = async (name: string, text: string) => {
    const files = [textFile(name, text, 'application/zip')]
    return (await scene.ask(upload, { body: { files } }, 'corrupt-zip')).reply.status
  }
  let status = await send(`../../👩‍🚀${'x'.repeat(296)}.zip`, '')
  if (status >= 300) status = await send('corrupt.zip', 'PK no zip')
  scene.answer('upload.zip', status < 300 ? 'stored' : status === 422 ? 'expanded' : 'expanded-or-400', 'a corrupt zip')
}

/** An OpenAPI document of a tool, with these paths. */
export function definitionOf(title: string, paths: object) {
  const info = { title, version: '1', description: `${title}.` }
  return { openapi: '3.0.0', info, servers: [{ url: 'https://tools.example.com' }], paths }
}

/** Every method of every path must be listed, with its description. */
async function severalMethods(scene: Scene): Promise<void> {
  const operation = (operationId: string) => ({ operationId, summary: `Does ${operationId}${' and more'.repeat(12)}` })
  const paths = {
    '/Items': { get: operation('listItems'), post: operation('makeItem'), patch: operation('fixItems') },
    '/orders/{id}': { delete: operation('dropOrder') }
  }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
  const shared = { '/orders/{id}': { parameters, ...paths['/orders/{id}'] } }
  const definition = definitionOf('Items', { ...paths, ...shared })
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
  const expected = Object.entries(paths).flatMap(([path, row]) =>
    Object.entries(row).map(([method, it]) => [method, path, it.operationId, it.summary].join(' '))
  )
  const isWhole = JSON.stringify(listed.sort()) === JSON.stringify(expected.sort())
  scene.check('values_read_back', 'validateTool', isWhole, `the methods ${expected.join(', ')}`, listed.join(', '))
  const untold = definitionOf('Orders', { '/orders': { get: { operationId: 'listOrders' } } })
  await scene.may('validateTool', { body: { definition: untold } as never }, 'bad-definition')
}

const inviteUsers = 'inviteUsers'
const check = 'bulk_invite_all_or_nothing'

/** What the integer in the reply counts. Undefined: neither, so no call shows who is invited. */
type Meaning = 'list-size' | 'new' | undefined

/** Hardly addresses, and new in every run. The last three are not texts (E27: "validated as a string"). */
const badsOf = (scene: Scene) => [
  `not an ${scene.mark('address')}`,
  `@${scene.mark('host')}.example.com`,
  `${scene.mark('nobody')}@`,
  7,
  null,
  {}
]

/**
 * E27: with one bad address, no one is invited. Addresses are under example.com, which has no users (RFC 2606). No operation
 * removes invites, so the same addresses are used: first in refused requests, then to see that they are still new.
 */
export const invitePlays: Play[] = [
  changing('bulk invites with a bad address, also by six requests at the same time', [inviteUsers], async (scene) => {
    const goods = addresses(scene)
    let count = await invite(scene)
    const silent: Json[] = []
    let takesAny = false
    for (const [at, bad] of badsOf(scene).slice(0, scene.run.most).entries()) {
      const outcome: Awaited<ReturnType<typeof outcomeOf>> =
        typeof bad === 'string' && !takesAny ? await outcomeOf(scene, bad, count) : 'refused'
      takesAny ||= outcome === 'taken'
      if (outcome === 'taken') count = await invite(scene)
      if (outcome === 'silent') silent.push(bad)
      if (outcome !== 'refused' || (takesAny && typeof bad === 'string')) continue
      // Each place has a text and a value that is none.
      if (!(await refusedWhole(scene, goods, bad, at % 3, count))) return
    }
    await Promise.all([0, 1, 2, 3, 4, 5].map(() => scene.run.exactly(inviteUsers, { body: { emails: [...goods, 7] } })))
    const [meaning, areInvited] = await meaningOf(scene, goods)
    if (meaning !== undefined || (areInvited && (await meaningOf(scene, addresses(scene)))[0] !== undefined)) {
      const expected = `no one is invited: ${goods.join(' and ')} are new`
      scene.check(check, inviteUsers, meaning !== undefined, expected, 'one of them is invited')
      // A server that invites no one, and says that this is a success, has left the address out.
      for (const bad of silent) await refused(scene, [...goods, bad], bad)
      // A server may refuse it.
      await scene.may(inviteUsers, { body: { emails: [...goods, ...goods] } }, 'bad-address')
    }
  })
]

/** Of different people. A server that drops dots, or what comes after a +, takes some of them for one. */
function addresses(scene: Scene): string[] {
  const name = scene.mark('invited')
  return [name, name.replace('kcm', 'kcm.'), `7${name}`, `${name}+Kcm`].map((it) => `${it}@example.com`)
}

async function invite(scene: Scene, ...emails: string[]): Promise<number> {
  return Number((await scene.ask(inviteUsers, { body: { emails } })).reply.body)
}

/** What happens to a text that is the only address. */
async function outcomeOf(scene: Scene, bad: string, before: number): Promise<'refused' | 'taken' | 'silent'> {
  const { status, body } = (await scene.ask(inviteUsers, { body: { emails: [bad] } }, 'bad-address')).reply
  if (status >= 300) return 'refused'
  if (body === before) return 'silent'
  scene.answer('invites.addresses', 'any', `${JSON.stringify(bad)} as the only address`)
  return 'taken'
}

/** A list with a bad address must be refused. Returns whether it is. */
async function refused(scene: Scene, emails: Json[], bad: Json): Promise<boolean> {
  const { status } = (await scene.ask(inviteUsers, { body: { emails } }, 'bad-address')).reply
  if (status >= 300 && typeof bad === 'string') scene.answer('invites.invalid', String(status))
  return scene.check(check, inviteUsers, status >= 300, `a refusal: ${JSON.stringify(bad)} is not an address`)
}

/** Refused, and the next integer is as before. Others may invite too, so a change counts only if it happens again. */
async function refusedWhole(scene: Scene, goods: string[], bad: Json, place: number, before: number): Promise<boolean> {
  if (!(await refused(scene, goods.toSpliced(place, 0, bad as string), bad))) return false
  const after = await invite(scene)
  if (Object.is(before, after)) return true
  await scene.run.bounds.time.sleep(500)
  if ((await invite(scene)) !== after) throw new Stopped('others invite at the same time')
  await refused(scene, addresses(scene).toSpliced(place, 0, bad as string), bad)
  const isRepeated = (await invite(scene)) - after === after - before
  const expected = `${before}: ${goods.join(' and ')} are not invited`
  return scene.check(check, inviteUsers, !isRepeated, expected, String(after))
}

/** Finds what the integer counts, with several addresses, and whether the first is invited already. */
async function meaningOf(scene: Scene, [one = '', ...others]: string[]): Promise<[Meaning, areInvited: boolean]> {
  const before = await invite(scene)
  const { status, body: once } = (await scene.run.ask(inviteUsers, { body: { emails: [one] } })).reply
  const subject = 'no one is invited'
  if (status >= 400 && status < 500) throw new Stopped(`the server invites no one under example.com (${status})`)
  const again = await invite(scene, one)
  const all = (await scene.ask(inviteUsers, { body: { emails: [one, ...others] } })).reply
  scene.check(
    'positive_data_acceptance',
    inviteUsers,
    all.status < 300,
    `${others.join(' and ')} invited, as ${one} is`
  )
  const counts = [once, again, all.body].join()
  const last = before + 1 + others.length
  // Others may invite at the same time, so there may be more.
  const isLost = once === before + 1 && again === once && all.status < 300 && Number(all.body) < last
  scene.check(check, inviteUsers, !isLost, `${last}: ${others.join(' and ')} are invited too`, `${all.body}`)
  const isList = counts === [before + 1, before + 1, last].join()
  const meaning = isList ? 'list-size' : before === 0 && counts === `1,0,${others.length}` ? 'new' : undefined
  if (meaning) scene.answer('invites.count', meaning, 'an address invited twice')
  else {
    const why = `the integer counts something else (${before}, ${counts.replaceAll(',', ', ')})`
    scene.couldNot(inviteUsers, why, subject)
  }
  return [meaning, once === before]
}
