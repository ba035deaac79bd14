import { dirname, isAbsolute, join } from 'node:path'
import { type ApiDefinition, apiOf, marksWith, notUnderstoodIn } from '../../apis/document/api.js'
import { isSkeleton } from '../../apis/document/init.js'
import { mistakeIn } from '../../apis/document/lifecycles.js'
import { link } from '../../apis/document/links.js'
import { ledgerOf, type Question } from '../../apis/document/questions.js'
import type { Rule } from '../../engine/api.js'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { isObject, readDocuments, sharedDocuments, shown } from '../../engine/contract/load.js'
import type { OpenApiDocument } from '../../engine/contract/model.js'
import { checkNames, didYouMean } from '../../engine/contract/nearest.js'
import { once } from '../../engine/contract/once.js'
import type { Definitions } from '../../engine/sandbox/starts.js'
import { loadNow, type ModuleLoader } from './modules.js'
import { defaultOf, filesOf, readWith, type WithSource } from './with.js'

/** An API that a document or a folder describes (`--api`). */
export interface DocumentedApi extends Definitions {
  questions: readonly Question[]
  document: OpenApiDocument
}

const isText = (value: unknown) => typeof value === 'string'
const isEach = (value: unknown, isGood: (item: unknown) => boolean) => Object.values(value ?? {}).every(isGood)
const hasTexts = (value: unknown, names: string[]) => isObject(value) && names.every((name) => isText(value[name]))

/** What each field of a definition has, and the check of it. Fixtures and lifecycles are checked where they are read. */
const fields: Record<keyof ApiDefinition, [what: string, isGood: (value: unknown) => boolean]> = {
  title: ['a text', isText],
  document: ['an OpenAPI document, or its path', (it) => isText(it) || isObject(it)],
  users: [
    'a list of { key, name?, email?, role? }, or { collection, token, role?, active? } with the names of fields',
    (it) => (Array.isArray(it) ? isEach(it, (user) => hasTexts(user, ['key'])) : hasTexts(it, ['collection', 'token']))
  ],
  collections: ['an object for each collection', (it) => isObject(it) && isEach(it, isObject)],
  rules: ['a function for each operation', (it) => isObject(it) && isEach(it, (rule) => typeof rule === 'function')],
  fixtures: ['rows by collection', () => true],
  lifecycles: ['an object for each collection', (it) => isObject(it) && isEach(it, isObject)],
  ledger: [
    'a list of { id, question, choices, default, reason }',
    (it) => Array.isArray(it) && isEach(it, (entry) => hasTexts(entry, ['id', 'question', 'default', 'reason']))
  ],
  scenarios: ['a list of paths', (it) => Array.isArray(it) && isEach(it, isText)],
  secrets: ['a choice for each assumption', (it) => isObject(it) && isEach(it, isText)]
}

/**
 * Reads the API of a document or a folder, with the user's other documents. Throws an Error that names file, line and column of the
 * first mistake.
 */
export function readApi(
  source: WithSource,
  others: readonly WithSource[],
  say: (text: string) => void,
  load: ModuleLoader = loadNow
): DocumentedApi {
  const files = typeof source === 'string' ? filesIn(source) : {}
  const definition = files.api === undefined ? {} : definitionIn(files.api, load)
  const folder = files.api === undefined ? '.' : dirname(files.api)
  const at = (path: string) => (isAbsolute(path) ? path : join(folder, path))
  const { document: ownDocument, rules = {}, lifecycles = {}, fixtures, scenarios = [], ledger = [] } = definition
  const documents = sharedDocuments(readDocuments())
  const extensions = readWith([source, ...others], documents, say, load, {
    marksOf: marksWith(definition),
    document: typeof ownDocument === 'string' ? at(ownDocument) : ownDocument
  })
  const [document] = extensions.documents as [OpenApiDocument]
  const ids = document.operations.map(({ id }) => id)
  const fail = (text: string): never => {
    throw new Error(`${shown(files.api as string)}: ${text}`)
  }
  const unknown = Object.keys(rules).find((id) => !ids.includes(id))
  if (unknown !== undefined) {
    fail(`rules.${unknown} is not an operation of the document. ${didYouMean(unknown, ids)}`)
  }
  const mistake = mistakeIn(document, lifecycles)
  if (mistake !== undefined) fail(mistake)
  const own = ledger.map((it): Question => ({ place: [], observed: it.default, probe: [], ...it }))
  link(document)
  // A skeleton does nothing yet.
  const inFile = [...extensions.rules].filter(([id, rule]) => !Object.hasOwn(rules, id) || !isSkeleton(rule))
  const twice = inFile.find(([id]) => Object.hasOwn(rules, id))
  if (twice) fail(`rules.${twice[0]}: ${twice[0]} is a function of the rules file, too. Keep one of them.`)
  const all = [...Object.entries(rules), ...inFile]
  const ruled = new Set(all.filter(([, rule]) => !isSkeleton(rule)).map(([id]) => id))
  const notUnderstood = once(() => notUnderstoodIn(document, ruled))
  const questions = [...ledgerOf(document, notUnderstood), ...own]
  const api = apiOf(document, definition, questions, notUnderstood)
  return {
    api,
    documents,
    ledger: questions.map(withoutProbe),
    ...api.fixtures,
    code: [],
    extensions: {
      ...extensions,
      rules: new Map<string, Rule>(all),
      fixtures: [...(fixtures ? [{ place: shown(files.api as string), rows: fixtures }] : []), ...extensions.fixtures],
      scenarios: [...scenarios.map(at), ...extensions.scenarios]
    },
    questions,
    document
  }
}

/** An entry of the ledger, whose place is found on first use. */
function withoutProbe(question: Question): LedgerEntry {
  const { probe: _, ...fields } = Object.getOwnPropertyDescriptors(question)
  return Object.defineProperties({}, fields as PropertyDescriptorMap) as LedgerEntry
}

function filesIn(source: string): ReturnType<typeof filesOf> {
  try {
    return filesOf(source, true)
  } catch {
    // There is no such file, which is reported when it is read.
    return {}
  }
}

function definitionIn(file: string, load: ModuleLoader): ApiDefinition {
  const definition = defaultOf(load(file))
  if (!isObject(definition)) throw new Error(`${shown(file)}: export default defineApi({ … })`)
  try {
    checkNames(definition, Object.keys(fields), 'field')
    for (const [name, [what, isGood]] of Object.entries(fields)) {
      const value = definition[name]
      if (value !== undefined && !isGood(value)) throw new Error(`${name} must be ${what}.`)
    }
  } catch (error) {
    throw new Error(`${shown(file)}: ${(error as Error).message}`)
  }
  return definition as ApiDefinition
}
