import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Rule } from '../../engine/api.js'
import {
  anyDocuments,
  type Choices,
  type Documents,
  isObject,
  type JsonObject,
  readJson,
  shown,
  textOf
} from '../../engine/contract/load.js'
import { plainCopy } from '../../engine/contract/message/user-file.js'
import type { Mistake, OpenApiDocument, Origin } from '../../engine/contract/model.js'
import { didYouMean } from '../../engine/contract/nearest.js'
import { addressOf, type MarksOf, readDocument, type TakenNames } from '../../engine/contract/reader/document.js'
import { type Extensions, type FixtureRows, noExtensions } from '../../engine/sandbox/starts.js'
import { placeOf } from '../program/edition/place.js'
import { loadNow, type ModuleLoader } from './modules.js'
import { extendedBy, type Overlaid, overlaid } from './overlay.js'
import { type JoinedDocument, readJoined } from './references.js'

/** A value of `--with`: the path of a document or folder, or a document as an object. */
export type WithSource = string | object

/** The files next to a document. */
type Files = Partial<Record<'rules' | 'fixtures' | 'routes' | 'api' | 'overlay' | 'assumptions', string | undefined>>

/** A document with the files next to it. */
interface Source extends Files {
  /** For messages: the file, or the object's place in the option. */
  place: string
  name: string
  /** Undefined if the document is an object. */
  file: string | undefined
  /** Undefined if the folder has none. */
  document: unknown
  origins?: JoinedDocument['origins']
  /** The collections that the document itself declares. */
  declared?: readonly string[]
  placeInOverlay?: Overlaid['placeOf'] | undefined
}

/** How the first source is read, if it is the API itself (`--api`). */
export interface ApiReading {
  marksOf: MarksOf
  /** The document of the definition next to it. */
  document?: string | object | undefined
}

/**
 * Reads the user's own documents and folders. Throws an Error that names file, line and column of the first mistake.
 * `say` receives remarks that are not mistakes.
 */
export function readWith(
  sources: readonly WithSource[],
  documents: Documents,
  say: (text: string) => void,
  load: ModuleLoader = loadNow,
  api?: ApiReading
): Extensions {
  if (sources.length === 0) return noExtensions
  const names = takenBy(anyDocuments(documents))
  const read = sources.map((source, position) => readSource(source, position, say, position === 0 ? api : undefined))
  const described = read.flatMap((source, position) => {
    if (source.document === undefined) return []
    const document = readDocument(source.name, source.document, names, position === 0 ? api?.marksOf : undefined)
    failOn(source, document.mistakes)
    if (source.overlay === undefined) document.file = source.file
    if (document.kept.length > 0) {
      say(`${source.place}: ${document.kept.length} operations of the platform stay the platform's own.`)
    }
    for (const note of document.notes) say(`${source.place}: ${note}`)
    return [{ source, document }]
  })
  const rules = new Map<string, Rule>()
  for (const { source, document } of described) {
    failOn(source, unknownNames(document, names))
    if (source.rules === undefined) continue
    const ids = document.operations.map((it) => it.id)
    const module = load(source.rules)
    const functions = Object.entries(rulesIn(module))
    if (functions.length === 0 && !isWithoutRulesYet(source.rules, module)) say(`${shown(source.rules)}: no function`)
    for (const [id, rule] of functions) {
      if (ids.includes(id)) rules.set(id, rule)
      else say(`${shown(source.rules)}: ${source.place} has no operation ${id}. ${didYouMean(id, ids)}`)
    }
  }
  const fixtures = read.flatMap(({ fixtures: file }): FixtureRows[] => {
    if (file === undefined) return []
    const content = file.endsWith('.json') ? readJson(file) : defaultOf(load(file))
    if (typeof content !== 'function' && !isObject(content)) {
      throw new Error(`${shown(file)}: export rows by collection, or a function that returns them`)
    }
    return [{ place: shown(file), rows: content as FixtureRows['rows'] }]
  })
  const scenarios = sources.flatMap((source) => {
    const folder = typeof source === 'string' ? join(source, 'scenarios') : ''
    return folder !== '' && existsSync(folder)
      ? readdirSync(folder)
          .filter((it) => /\.(json|ya?ml)$/.test(it))
          .sort()
          .map((it) => join(folder, it))
      : []
  })
  const routes = read.flatMap(({ routes: file }) => (file === undefined ? [] : [() => routerIn(file, load)]))
  const assumed: Choices = Object.assign(
    {},
    ...read.map(({ assumptions: file }) => (file === undefined ? {} : readJson(file)))
  )
  return { documents: described.map(({ document }) => document), rules, fixtures, scenarios, routes, assumed }
}

function routerIn(file: string, load: ModuleLoader): unknown {
  const router = defaultOf(load(file))
  // A router and a middleware take a request, a response and what is next.
  if (typeof router === 'function' && ('stack' in router || router.length >= 2)) return router
  throw new Error(`${shown(file)}: export an Express router as the default, such as \`export default Router()\``)
}

/** Only the documents and choices of the sources, for commands that do not run rules. */
export const documentsIn = (sources: readonly WithSource[], documents: Documents) =>
  readWith(
    sources,
    documents,
    () => {},
    () => ({})
  )

/**
 * A service's own document as its file has it, and as `--with` reads it. The operations of the contract stay the platform's, however
 * few it has. `settled` is the document without schemas that are composed of themselves.
 */
export function readService(
  file: string,
  documents: Documents
): { root: JsonObject; settled: JsonObject; document: OpenApiDocument } {
  const source = readSource(file, 0, () => {})
  const root = readJoined(file).document
  const document = readDocument(source.name, source.document, takenBy(anyDocuments(documents)), undefined, true)
  failOn(source, document.mistakes)
  const settled = JSON.stringify(document.document).replaceAll(`"$ref":"${document.key}#`, '"$ref":"#')
  return { root, settled: JSON.parse(settled), document }
}

/** The paths of the modules next to the documents. */
export function modulesOf(sources: readonly WithSource[], api?: WithSource): string[] {
  return [...sources, ...(api === undefined ? [] : [api])].flatMap((source) => {
    const isRead = typeof source === 'string' && existsSync(source)
    const { document: _, overlay: __, ...files } = isRead ? filesOf(source, source === api) : {}
    return Object.values(files).filter((it) => it !== undefined && !it.endsWith('.json'))
  })
}

/** Whether a module has routes for Express. */
export const isRoutes = (file: string) => basename(file).startsWith('routes.')

function readSource(source: WithSource, position: number, say: (text: string) => void, api?: ApiReading): Source {
  if (typeof source !== 'string') {
    const place = api ? 'api' : `with[${position}]`
    const title = ((source as { info?: { title?: unknown } }).info?.title ?? `with-${position + 1}`) as unknown
    return {
      place,
      name: String(title),
      file: undefined,
      document: plainCopy(
        source,
        `${place}: the document contains itself. Give it with its $refs, not with resolved references.`,
        place
      )
    }
  }
  if (!existsSync(source)) {
    const advice = /^https?:/.test(source) ? `. Save the document first: curl -o api.json ${source}` : ''
    throw new Error(`${api ? 'api' : 'with'}: there is no file or folder ${source}${advice}`)
  }
  const { document: ownFile, ...files } = filesOf(source, api !== undefined)
  if (typeof api?.document === 'object') return { ...readSource(api.document, position, say, api), ...files }
  const file = api?.document ?? ownFile
  if (api && file === undefined) throw new Error(`api: the folder ${source} has no openapi.yaml or openapi.json`)
  if (file === undefined) return { place: source, name: basename(source), file, document: undefined, ...files }
  const folder = statSync(source).isDirectory() ? basename(source) : basename(file)
  const { document: own = null, origins } = readJoined(file)
  const whole = files.overlay === undefined ? undefined : overlaid(files.overlay, own as JsonObject, say)
  const { document = own, placeOf: placeInOverlay } = whole ?? {}
  const declared = Object.keys((isObject(document) && document['x-mock-collections']) || {})
  return { place: shown(file), name: folder, file, document, origins, declared, placeInOverlay, ...files }
}

const data = ['yaml', 'yml', 'json']
const code = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts']
const endings = {
  openapi: data,
  overlay: data,
  rules: code,
  fixtures: [...code, 'json'],
  routes: code,
  api: code,
  assumptions: ['json']
}

/** The file of a folder that has this subject. Throws an Error if there are several. */
export function fileIn(folder: string, subject: keyof typeof endings): string | undefined {
  const files = endings[subject]
    .map((ending) => `${subject}.${ending}`)
    .filter((name) => existsSync(join(folder, name)))
  if (files.length > 1) throw new Error(`${shown(folder)} has ${files.join(' and ')}. Keep one.`)
  return files[0] && join(folder, files[0])
}

/** A document, and the other files in its folder. */
export function filesOf(source: string, isApi = false): Files & { document?: string | undefined } {
  if (!statSync(source).isDirectory()) return { document: source }
  const subjects = Object.keys(endings) as (keyof typeof endings)[]
  const paths: Partial<Record<keyof typeof endings, string | undefined>> = Object.fromEntries(
    subjects.map((it) => [it, it === 'api' && !isApi ? undefined : fileIn(source, it)])
  )
  const { openapi: own, ...files } = paths
  const { overlay, rules, fixtures, routes } = files
  const document = overlay === undefined ? own : extendedBy(overlay)
  if (own !== undefined && document !== undefined && realpathSync(own) !== realpathSync(document))
    throw new Error(
      `${shown(overlay as string)} extends ${shown(document)}, but ${shown(own)} is in the same folder: leave one out.`
    )
  if (isApi) return { document, ...files }
  if (document === undefined && rules !== undefined) {
    throw new Error(`with: the folder ${source} has rules, but no openapi.yaml or openapi.json with their operations`)
  }
  const hasScenarios = existsSync(join(source, 'scenarios'))
  if (document === undefined && fixtures === undefined && routes === undefined && !hasScenarios) {
    throw new Error(
      `with: the folder ${source} has no openapi.yaml, openapi.json or overlay.yaml, no routes, no fixtures and no scenarios`
    )
  }
  return { document, ...files }
}

function takenBy(documents: Documents): TakenNames {
  const names: TakenNames = {
    operations: new Map(),
    ids: new Set(),
    collections: new Set(),
    schemas: new Set(),
    keys: new Set()
  }
  for (const document of Object.values(documents)) {
    for (const [id, row] of Object.entries((document.operations ?? {}) as Record<string, JsonObject>)) {
      names.ids.add(id)
      const { method, path, code } = row as { method: string; path: string; code?: string }
      if (code !== undefined) names.operations.set(addressOf({ method, path }), { id, code })
    }
    for (const name of Object.keys((document.collections ?? {}) as JsonObject)) names.collections.add(name)
    for (const name of Object.keys((document.$defs ?? {}) as JsonObject)) names.schemas.add(name)
  }
  return names
}

/** Collections and views in operations that do not exist. */
function unknownNames({ operations }: OpenApiDocument, { collections, ids }: TakenNames): Mistake[] {
  return operations.flatMap(({ mock, origin }) => {
    const references = [
      { field: 'collection', kind: 'collection', name: mock?.collection, names: collections },
      { field: 'view', kind: 'operation', name: mock?.view, names: ids }
    ]
    return references.flatMap(({ field, kind, name, names }): Mistake[] => {
      if (name === undefined || names.has(name)) return []
      const text = `there is no ${kind} ${name}. ${didYouMean(name, [...names])}`
      return [{ path: [...(origin as Origin).path, 'x-mock', field], text }]
    })
  })
}

function failOn(
  { place, file, origins, placeInOverlay, declared = [], api }: Source,
  [first, ...rest]: Mistake[]
): void {
  if (!first) return
  // A wrong part may be read several times.
  const others = new Set(rest.map(({ text }) => text))
  others.delete(first.text)
  const more = others.size === 0 ? '' : ` (and ${others.size} more)`
  const [part, kind, name = '', ...field] = first.path
  const origin = part === 'components' && kind === 'schemas' ? origins?.get(name) : undefined
  const inDocument = () => {
    // Others are those of the definition.
    if (api !== undefined && part === 'x-mock-collections' && !declared.includes(kind as string))
      return `${shown(api)}: ${['collections', kind, name, ...field].filter((it) => it !== '$ref').join('.')}`
    if (origin) return placeOf(origin.file, [...origin.path, ...field])
    return file === undefined ? `${place} /${first.path.join('/')}` : placeOf(file, first.path)
  }
  throw new Error(`${placeInOverlay?.(first.path) ?? inDocument()}: ${first.text}${more}`)
}

/** The functions that a module exports by name, itself or in its default export. */
function rulesIn(module: unknown): Record<string, Rule> {
  const exports = module as Record<string, unknown>
  const all = { ...(isObject(exports.default) ? (exports.default as Record<string, unknown>) : {}), ...exports }
  return Object.fromEntries(Object.entries(all).filter(([, it]) => typeof it === 'function')) as Record<string, Rule>
}

/** Whether a module is as `adopt` writes it: an empty object, with places for rules. An empty file has an empty object, too. */
function isWithoutRulesYet(file: string, module: unknown): boolean {
  const own = defaultOf(module)
  return isObject(own) && Object.keys(own).length === 0 && textOf(file).trim() !== ''
}

export function defaultOf(module: unknown): unknown {
  const exports = module as { default?: unknown; [name: string]: unknown }
  return exports.default ?? exports.fixtures ?? exports
}
