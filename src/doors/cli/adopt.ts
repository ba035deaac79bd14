import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { Command } from 'commander'
import { type Proposals, proposalsFor } from '../../apis/document/propose.js'
import { sourceOf } from '../../engine/answers/answer.js'
import { createContract } from '../../engine/contract/contract.js'
import { lazily } from '../../engine/contract/lazy.js'
import { defaultChoices, readLedger } from '../../engine/contract/ledger.js'
import { type Choices, readDocuments, shown } from '../../engine/contract/load.js'
import { isStreamType } from '../../engine/contract/message/media.js'
import type { OpenApiDocument } from '../../engine/contract/model.js'
import { responseOf, statusOf } from '../../engine/contract/outcomes.js'
import { isOfPlatform, usualCount } from '../../engine/contract/reader/document.js'
import { type Contradiction, followed } from '../../tools/compare/contradictions.js'
import { line } from '../../tools/compare/report.js'
import { groupBy } from '../../tools/texts.js'
import { addOptions } from '../options/command-line.js'
import { flag } from '../options/kinds.js'
import type { Settled, Table } from '../options/option.js'
import { createMock } from '../program/mock.js'
import { readService } from '../with/with.js'

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
  const documents = readDocuments()
  const ledger = readLedger()
  const side = { documents, ledger, choices: defaultChoices(ledger) }
  const { root, document } = readService(file, documents)
  const { kept } = document
  const { contradictions, choices } =
    kept.length === 0 ? { contradictions: [], choices: {} } : followed(side, { name: shown(file), root, kept })
  const proposals = proposalsFor(root, document, createContract(documents, side.choices))
  const texts = {
    'overlay.yaml': overlayText(file, folder, proposals, kept),
    'assumptions.json': `${JSON.stringify(choices, null, 2)}\n`,
    'rules.js': rulesText(document, proposals)
  }
  mkdirSync(folder, { recursive: true })
  const written = Object.entries(texts).map(([name, text]) => {
    const path = join(folder, name)
    if (existsSync(path) && !force) return `${shown(path)}: kept, because it exists. --force overwrites it`
    writeFileSync(path, text)
    return `${shown(path)}: written`
  })
  return [
    ...contradictionLines(shown(file), kept.length, contradictions, choices),
    '',
    ...(await proposalLines(proposals)),
    '',
    ...written,
    `Start it: knowledge-chat-mock --with ${shown(folder)}`
  ]
}

function contradictionLines(name: string, shared: number, all: readonly Contradiction[], choices: Choices): string[] {
  if (shared === 0) return [`${name} has no operations of the contract.`]
  const head = `${name} has ${shared} operations of the contract, and contradicts it in ${all.length} places.`
  const named = Object.keys(choices).length
  const open = all.filter(({ follow }) => !follow).length
  return [
    named === 0 ? head : `${head} ${named} choices of the ledger follow it${open === 0 ? '' : `, except in ${open}`}:`,
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
async function proposalLines({ operations, collections }: Proposals): Promise<string[]> {
  const mock = createMock()
  const box = mock.sandbox()
  const lines = operations.flatMap(({ method, path, mark }) => {
    const call = `${method.toUpperCase()} ${path}`
    if (mark.session !== undefined) return [`${call} ${sessions[mark.session as string]}`]
    if (mark.redirect !== undefined) return [`${call} redirects to ${mark.redirect}`]
    const name = mark.collection as string
    // The others of a collection follow from its list.
    const [first] = operations.filter((it) => it.mark.collection === name && it.method === 'get')
    const isOther = path.endsWith('}') || method !== 'get'
    if (isOther && (first?.path !== path || first.method !== method)) return []
    const count = Object.hasOwn(collections, name) ? usualCount : box.rows(name as never).length
    return [`${call} looks like ${name}: ${count} rows${mark.view === undefined ? '' : `; view ${mark.view}`}`]
  })
  await mock.close()
  return lines
}

const sessions: Record<string, string> = {
  login: 'signs in',
  logout: 'signs out',
  signup: 'signs up',
  me: 'shows the calling user'
}

function overlayText(
  file: string,
  folder: string,
  { operations, collections }: Proposals,
  kept: OpenApiDocument['kept']
): string {
  const { stringify } = lazily('yaml') as typeof import('yaml')
  const target = (path: string, method: string) =>
    `$.paths['${path.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'].${method}`
  // A document with few operations of the platform describes another service, so these are left to the platform.
  const removed = isOfPlatform(kept.length) ? [] : kept
  const near = relative(folder, file).replaceAll('\\', '/')
  return stringify({
    overlay: '1.0.0',
    info: { title: 'Marks for the mock', version: '1.0.0' },
    extends: isAbsolute(near) ? near : near.replace(/^(?!\.)/, './'),
    actions: [
      ...(Object.keys(collections).length > 0 ? [{ target: '$', update: { 'x-mock-collections': collections } }] : []),
      ...removed.map(({ place }) => ({ target: target(place[1] as string, place[2] as string), remove: true })),
      ...operations.map(({ method, path, mark }) => ({ target: target(path, method), update: { 'x-mock': mark } }))
    ]
  })
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
