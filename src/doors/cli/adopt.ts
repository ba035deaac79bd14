import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative } from 'node:path'
import { Command } from 'commander'
import { type Proposals, proposalsFor } from '../../apis/document/propose.js'
import { sourceOf } from '../../engine/answers/answer.js'
import { createContract } from '../../engine/contract/contract.js'
import { lazily } from '../../engine/contract/lazy.js'
import { defaultChoices, readLedger } from '../../engine/contract/ledger.js'
import { type Choices, type JsonObject, readDocuments, shown } from '../../engine/contract/load.js'
import { isStreamType } from '../../engine/contract/message/media.js'
import type { OpenApiDocument } from '../../engine/contract/model.js'
import { responseOf, statusOf } from '../../engine/contract/outcomes.js'
import { isOfPlatform, usualCount } from '../../engine/contract/reader/document.js'
import { makeFolder } from '../../engine/keep/make-folder.js'
import { type Contradiction, followed } from '../../tools/compare/contradictions.js'
import { line } from '../../tools/compare/report.js'
import { groupBy, inShell } from '../../tools/texts.js'
import { addOptions } from '../options/command-line.js'
import { flag } from '../options/kinds.js'
import type { Settled, Table } from '../options/option.js'
import { createMock } from '../program/mock.js'
import { overlaid } from '../with/overlay.js'
import { fileIn, readService } from '../with/with.js'

const adoptTable = {
  force: { is: flag, default: false, help: 'also overwrites files of the folder' }
} as const satisfies Table

/** `adopt <document> [folder]`: writes a folder for `--with`. */
export function adoptCommand(): Command {
  return addOptions(new Command('adopt'), adoptTable)
    .description(
      "compare your service's own OpenAPI document with the contract, and write a folder for --with: an overlay that marks its collections, the choices that follow it, and places for rules"
    )
    .argument('<document>', 'an OpenAPI document, which stays as it is')
    .argument('[folder]', 'where to write', './mock')
    .action(async (document: string, folder: string, { force }: Settled<typeof adoptTable>) => {
      for (const text of await adopt(document, folder, force)) process.stdout.write(`${text}\n`)
    })
}

/** Writes the folder. Returns what it found and did, in lines. Files that exist stay, unless `force`. */
async function adopt(file: string, folder: string, force: boolean): Promise<string[]> {
  if (existsSync(file) && statSync(file).isDirectory())
    throw new Error(`${file} is a folder: give an OpenAPI document.`)
  checkFolder(file, folder)
  const documents = readDocuments()
  const ledger = readLedger()
  const side = { documents, ledger, choices: defaultChoices(ledger) }
  const { root, settled, document } = readService(file, documents)
  const { kept, notes } = document
  const { contradictions, choices } =
    kept.length === 0 ? { contradictions: [], choices: {} } : followed(side, { name: shown(file), root, kept })
  const proposals = proposalsFor(settled, document, createContract(documents, side.choices))
  const paths = [...document.operations, ...kept].filter(({ path }) => !path.startsWith('/{'))
  const starts = paths.map(({ path }) => `/${path.split('/')[1]}`)
  const texts = {
    'overlay.yaml': overlayText(file, folder, proposals, kept),
    'assumptions.json': `${JSON.stringify(choices, null, 2)}\n`,
    'rules.js': rulesText(document, proposals)
  }
  makeFolder(folder)
  const before = fileIn(folder, 'overlay')
  const isKept = before !== undefined && !(force && basename(before) === 'overlay.yaml')
  const lines = isKept
    ? await newLines(before, shown(file), settled, proposals, removedBy(kept))
    : await proposalLines(proposals, shown(file))
  const fileLines = Object.entries(texts).map(([name, text]) => {
    const path = fileIn(folder, name.split('.')[0] as Subject) ?? join(folder, name)
    const isOther = basename(path) !== name
    if (existsSync(path) && (isOther || !force))
      return `${shown(path)}: kept, because it exists${isOther ? '' : '. --force overwrites it'}`
    writeFileSync(path, text)
    return `${shown(path)}: written`
  })
  return [
    ...contradictionLines(shown(file), kept.length, contradictions, choices),
    ...notes.map((note) => `${shown(file)}: ${note}`),
    '',
    ...lines,
    '',
    `Let your dev server forward ${[...new Set([...starts, '/__mock'])].join(', ')}`,
    ...fileLines,
    `Start it: knowledge-chat-mock --with ${inShell(shown(folder))}`
  ]
}

type Subject = Parameters<typeof fileIn>[1]

/** Throws an Error for a folder that `serve --with` would refuse afterwards, before anything is written. */
function checkFolder(file: string, folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new Error(`${shown(folder)} is a file: give a folder.`)
  for (const subject of ['openapi', 'overlay', 'assumptions', 'rules'] as const) {
    const path = fileIn(folder, subject)
    if (path !== undefined && !statSync(path).isFile()) throw new Error(`${shown(path)} is not a file: remove it.`)
    if (subject !== 'openapi' || path === undefined || !existsSync(file) || realpathSync(path) === realpathSync(file))
      continue
    throw new Error(`${shown(path)} is in this folder, which takes one document: adopt that, or give another folder.`)
  }
}

function contradictionLines(name: string, shared: number, all: readonly Contradiction[], choices: Choices): string[] {
  if (shared === 0) return [`${name} has no operations of the contract.`]
  const head = `${name} has ${shared} operations of the contract, and contradicts it in ${all.length} places.`
  const count = Object.keys(choices).length
  const open = all.filter(({ follow }) => !follow).length
  return [
    count === 0 ? head : `${head} ${count} choices of the ledger follow it${open === 0 ? '' : `, except in ${open}`}:`,
    ...groupBy(all, ({ operation }) => operation).flatMap(([operation, group]) => [
      '',
      operation,
      ...group.flatMap((it) => (it.follow ? `  ${line(it)}: ${it.follow.id}=${it.follow.choice}` : [])),
      ...unfollowedLines(group.filter(({ follow }) => !follow))
    ])
  ]
}

/** A line for each kind and part of the message: `response-property-removed: response 200 tools, labels: …`. */
function unfollowedLines(all: readonly Contradiction[]): string[] {
  const partOf = (place: string) => place.slice(0, place.lastIndexOf(' ') + 1)
  return groupBy(all, ({ id, place }) => `${id}: ${partOf(place)}`).map(([start, group]) => {
    const rest = group.map((it) => line(it).slice(start.length))
    return `  ${start}${rest.join('; ')}: no choice follows it`
  })
}

/** A line for each path with a mark: the rows that it shows, or what it does with a session. */
async function proposalLines({ operations }: Pick<Proposals, 'operations'>, file: string): Promise<string[]> {
  const mock = createMock()
  const box = mock.sandbox()
  const lines = operations.flatMap(({ method, path, mark, enums }) => {
    const call = `${method.toUpperCase()} ${path}`
    if (mark.session !== undefined) return [`${call} ${sessions[mark.session as string]}`]
    if (mark.redirect !== undefined) return [`${call} redirects to ${mark.redirect}`]
    const name = mark.collection as string
    // The others of a collection follow from its list.
    const [first] = operations.filter((it) => it.mark.collection === name && it.method === 'get')
    const isOther = path.endsWith('}') || method !== 'get'
    if (isOther && first && (first.path !== path || first.method !== method)) return []
    const rows = enums === undefined ? [] : (box.rows(name as never) as JsonObject[])
    const count = enums === undefined ? usualCount : rows.length
    const odd = Object.entries(enums ?? {}).flatMap(([field, values]) => {
      const others = new Set(rows.flatMap((row) => row[field] ?? []).filter((it) => !values.includes(it)))
      return others.size === 0 ? [] : [`${field} ${[...others].join(', ')}`]
    })
    return [
      `${call} looks like ${name}: ${count} rows${mark.view === undefined ? '' : `; view ${mark.view}`}`,
      ...odd.map((it) => `  ${file} does not allow the ${it} of some rows: they show another`)
    ]
  })
  await mock.close()
  return lines
}

/** What a kept overlay does not mark, with the lines to add to it. */
async function newLines(
  overlay: string,
  file: string,
  document: JsonObject,
  proposals: Proposals,
  removed: OpenApiDocument['kept']
): Promise<string[]> {
  const { stringify } = lazily('yaml') as typeof import('yaml')
  const whole = overlaid(overlay, document, () => {}).document as Record<'paths' | 'x-mock-collections', JsonObject>
  const at = (path: string, method: string) => (whole.paths[path] as Record<string, JsonObject> | undefined)?.[method]
  const operations = proposals.operations.filter(({ path, method }) => at(path, method)?.['x-mock'] === undefined)
  const names = new Set(operations.map(({ mark }) => mark.collection))
  const collections = Object.entries(proposals.collections).filter(
    ([name]) => names.has(name) && whole['x-mock-collections']?.[name] === undefined
  )
  const fresh = { operations, collections: Object.fromEntries(collections) }
  const actions = actionsOf(
    fresh,
    removed.filter(({ place }) => at(place[1] as string, place[2] as string) !== undefined)
  )
  const { length } = proposals.operations
  const rest = `${shown(overlay)} marks ${length - operations.length} of ${length} operations that look like something.`
  if (actions.length === 0) return [rest]
  return [
    rest,
    ...(await proposalLines(fresh, file)).map((text) => text.replace(/^(?! )/, 'new: ')),
    `add to ${shown(overlay)}:`,
    ...stringify(actions)
      .trimEnd()
      .split('\n')
      .map((text) => `  ${text}`)
  ]
}

const sessions: Record<string, string> = {
  login: 'signs in',
  logout: 'signs out',
  signup: 'signs up',
  me: 'shows the calling user'
}

function overlayText(file: string, folder: string, proposals: Proposals, operations: OpenApiDocument['kept']): string {
  const { stringify } = lazily('yaml') as typeof import('yaml')
  const near = relative(folder, file).replaceAll('\\', '/')
  return stringify({
    overlay: '1.0.0',
    info: { title: 'Marks for the mock', version: '1.0.0' },
    extends: isAbsolute(near) ? near : near.replace(/^(?!\.)/, './'),
    actions: actionsOf(proposals, removedBy(operations))
  })
}

/** A document with few operations of the platform describes another service, so these are left to the platform. */
function removedBy(operations: OpenApiDocument['kept']): OpenApiDocument['kept'] {
  return isOfPlatform(operations.length) ? [] : operations
}

function actionsOf({ operations, collections }: Proposals, removed: OpenApiDocument['kept']): JsonObject[] {
  const quoted = (path: string) => JSON.stringify(path).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  const target = (path: string, method: string) => `$.paths['${quoted(path)}'].${method}`
  return [
    ...(Object.keys(collections).length > 0 ? [{ target: '$', update: { 'x-mock-collections': collections } }] : []),
    ...removed.map(({ place }) => ({ target: target(place[1] as string, place[2] as string), remove: true })),
    ...operations.map(({ method, path, mark }) => ({ target: target(path, method), update: { 'x-mock': mark } }))
  ]
}

/** A place for the rule of each operation whose answer would be invented. */
function rulesText({ operations }: OpenApiDocument, proposals: Proposals): string {
  const marked = new Set(proposals.operations.map(({ method, path }) => `${method} ${path}`))
  const places = operations
    .filter((it) => sourceOf(it, false) === 'invented' && !marked.has(`${it.origin?.path[2]} ${it.origin?.path[1]}`))
    .map((operation) => {
      const { id, method, path } = operation
      const name = /^[A-Za-z_$][\w$]*$/.test(id) ? id : JSON.stringify(id)
      const isStream = isStreamType(responseOf(operation, statusOf(operation))?.media)
      const rule = isStream
        ? `*${/^"/.test(name) ? `[${name}]` : name}({ body }, { rows, user }) { yield {} },`
        : `${name}: ({ path, query, body }, { rows, user, otherwise }) => otherwise(),`
      return `  // ${method} ${path}\n  // ${rule}\n`
    })
  return `// The mock invents the answers of these operations from their schemas. To answer one yourself, remove the marks before its rule.
// A rule returns the body, or reply(status, body); otherwise() is the invented answer. rows has all collections.
export default {
${places.join('\n')}}
`
}
