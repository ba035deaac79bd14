import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { filesFor } from '../../apis/document/init.js'
import { isObject, type JsonObject, readJson, schemaOf, shown } from '../../engine/contract/load.js'
import { makeFolder } from '../../engine/keep/make-folder.js'
import { inShell } from '../../tools/texts.js'
import { addOptions } from '../options/command-line.js'
import { flag } from '../options/kinds.js'
import type { Settled, Table } from '../options/option.js'
import { readApi } from '../with/api.js'
import { readJoined } from '../with/references.js'

const initTable = {
  force: { is: flag, default: false, help: 'also overwrites files of the folder, edited ones too' }
} as const satisfies Table

type Digests = Record<string, string>

/** What an earlier run wrote, and read in its document. */
interface Written {
  files: Digests
  operations: Digests
  schemas: Digests
}

/** The file that remembers it. */
const memory = '.init.json'

/** `init <document> <folder>`: writes a folder for `--api`. */
export function initCommand(): Command {
  return addOptions(new Command('init'), initTable)
    .description(
      'write a folder for --api from an OpenAPI document: users, rows, rules, and the questions that it leaves open'
    )
    .argument('<document>', 'an OpenAPI document')
    .argument('<folder>', 'where to write; a second run keeps what was edited')
    .action((document: string, folder: string, { force }: Settled<typeof initTable>) => {
      for (const line of initialize(document, folder, force)) process.stdout.write(`${line}\n`)
    })
}

/** Writes the folder. Returns what it did, in lines. Throws an Error if the folder has files of somebody else. */
export function initialize(source: string, folder: string, force: boolean): string[] {
  if (existsSync(source) && statSync(source).isDirectory())
    throw new Error(`${source} is a folder: give an OpenAPI document.`)
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new Error(`${shown(folder)} is a file: name a folder.`)
  const before = writtenIn(folder)
  if (!before && !force && existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${shown(folder)} has files already: choose another folder, or give --force.`)
  const { api, document, questions } = readApi(source, [], () => {})
  const files = new Map(Object.entries(filesFor(api.title, document, questions)))
  // A document that refers to other files becomes one, in JSON.
  const joined = readJoined(source)
  const isWhole = joined.origins.size === 0
  const extension = /ya?ml$/i.test(extname(source)) && isWhole ? '.yaml' : '.json'
  const target = `openapi${extension}`
  makeFolder(folder)
  const whole = isWhole ? readFileSync(source, 'utf8') : `${JSON.stringify(joined.document, null, 2)}\n`
  const ofFolder = readdirSync(folder).filter((it) => /^openapi\.(ya?ml|json)$/.test(it))
  const isOwn = ofFolder.some((it) => resolve(source) === resolve(folder, it))
  if (!isOwn) files.set(target, whole)
  const lines = [`${basename(source)}: ${document.operations.length} operations`]
  const { components = {} } = joined.document
  const { schemas = {} } = components as Record<string, JsonObject>
  const record: Written = {
    files: {},
    operations: digestsOf(
      document.operations.map(({ id, origin }) => [id, operationAt(joined.document, origin?.path)])
    ),
    schemas: digestsOf(Object.entries(schemas))
  }
  // A folder has one document.
  for (const name of ofFolder) {
    const file = join(folder, name)
    if (name === target || resolve(source) === resolve(file)) continue
    if (!force && digestOf(readFileSync(file, 'utf8')) !== before?.files[name]) {
      lines.push(`${shown(file)}: kept, because it was edited`)
      files.delete(target)
    } else {
      rmSync(file)
      lines.push(`${shown(file)}: removed`)
    }
  }
  for (const [name, text] of files) {
    const file = join(folder, name)
    const there = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const isEdited = there !== undefined && there !== text && digestOf(there) !== before?.files[name]
    record.files[name] = isEdited && !force ? (before?.files[name] ?? '') : digestOf(text)
    if (isEdited && !force) {
      lines.push(`${shown(file)}: kept, because it was edited`)
      continue
    }
    makeFolder(dirname(file))
    writeFileSync(file, text)
    if (there !== text) lines.push(`${shown(file)}: ${there === undefined ? 'written' : 'changed'}`)
  }
  writeFileSync(join(folder, memory), `${JSON.stringify(record, null, 2)}\n`)
  if (before) {
    const changes = (['operations', 'schemas'] as const).flatMap((it) => changesOf(it, before[it], record[it]))
    lines.push(...(changes.length > 0 ? changes : ['the document has the same operations and schemas as before']))
  }
  return [...lines, `Start it: knowledge-chat-mock --api ${inShell(shown(folder))}`]
}

/** What is new, different and gone since the last run. */
function changesOf(what: string, before: Digests = {}, now: Digests): string[] {
  const lists = {
    new: Object.keys(now).filter((name) => !(name in before)),
    changed: Object.keys(now).filter((name) => name in before && before[name] !== now[name]),
    removed: Object.keys(before).filter((name) => !(name in now))
  }
  return Object.entries(lists).flatMap(([kind, names]) =>
    names.length > 0 ? [`${kind} ${what}: ${names.join(', ')}`] : []
  )
}

function writtenIn(folder: string): Written | undefined {
  const file = join(folder, memory)
  if (!existsSync(file)) return undefined
  const record = readJson(file) as unknown as Written
  if (!isObject(record) || !isObject(record.files))
    throw new Error(`${shown(file)} is not what init wrote: delete it, and give --force.`)
  return record
}

/** An operation of a document, with the parameters of its path. */
function operationAt(document: JsonObject, [, path = '', method = '']: readonly string[] = []): unknown {
  const { parameters, ...operations } = schemaOf({ '': document }, (document.paths as JsonObject)[path])
  return [parameters ?? [], operations[method]]
}

function digestsOf(entries: [string, unknown][]): Digests {
  const sorted = (_: string, it: unknown) => (isObject(it) ? Object.fromEntries(Object.entries(it).sort()) : it)
  return Object.fromEntries(entries.map(([name, value]) => [name, digestOf(JSON.stringify(value, sorted))]))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
