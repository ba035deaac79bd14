import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readUserFile } from '../../contract/message/user-file.js'
import { isFile } from '../program/edition/own-fixtures.js'
import { isScenarioFile } from '../program/scenarios/files.js'
import { readJoined } from '../with/references.js'
import { isRoutes, modulesOf, type WithSource } from '../with/with.js'
import { bundled } from './bundle.js'

interface CarriedOptions {
  with?: readonly WithSource[]
  scenario?: string
  overrides?: string
  fixtures?: string
}

/** What of the user's files goes along with a site. */
export interface CarriedFiles<O> {
  /** The options, with the files named as the site has them. */
  options: O
  /** JSON files by their paths in the site. */
  files: Record<string, string>
  /** Modules by their paths there, as ES modules without imports. */
  modules: Record<string, string>
}

/** Reads the files that options name. Throws an Error that names a file that cannot go along. */
export async function carried<O extends CarriedOptions>(given: O): Promise<CarriedFiles<O>> {
  const files: Record<string, string> = {}
  const modules: Record<string, string> = {}
  const options = { ...given }

  const carry = (file: string, to: string, read: (file: string) => unknown = readUserFile): string => {
    files[to] = JSON.stringify(read(file))
    return to
  }
  if (given.overrides !== undefined) options.overrides = carry(given.overrides, '/given/overrides.json')
  if (given.scenario !== undefined && isScenarioFile(given.scenario)) {
    options.scenario = carry(given.scenario, `/given/${basename(given.scenario).replace(/\.\w+$/, '.json')}`)
  }
  if (given.fixtures !== undefined && isFile(given.fixtures)) {
    if (!given.fixtures.endsWith('.json')) {
      throw new Error(`fixtures is ${given.fixtures}: a site takes JSON, such as GET /__mock/state gives.`)
    }
    options.fixtures = carry(given.fixtures, `/given/${basename(given.fixtures)}`)
  }

  const source = async (path: string, position: number): Promise<string> => {
    const to = `/own/${position}/${basename(resolve(path))}`
    if (!statSync(path).isDirectory()) return carry(path, to, documentIn)
    for (const name of ['openapi.yaml', 'openapi.yml', 'openapi.json']) {
      if (existsSync(join(path, name))) carry(join(path, name), join(to, name.replace(/\.ya?ml$/, '.json')), documentIn)
    }
    if (existsSync(join(path, 'fixtures.json'))) carry(join(path, 'fixtures.json'), join(to, 'fixtures.json'))
    for (const file of modulesOf([path])) {
      const name = join(to, basename(file))
      // It is only looked for: its exports come as a module.
      files[name] = ''
      if (!isRoutes(file)) modules[name] = await bundled(file)
    }
    const scenarios = join(path, 'scenarios')
    for (const name of existsSync(scenarios) ? readdirSync(scenarios) : []) {
      if (isScenarioFile(name)) carry(join(scenarios, name), join(to, 'scenarios', name.replace(/\.\w+$/, '.json')))
    }
    return to
  }
  const sources = (given.with ?? []).map((it, at) => (typeof it === 'string' ? source(it, at) : it))
  options.with = await Promise.all(sources)
  return { options, files, modules }
}

/** A document with the files that it refers to. */
function documentIn(file: string): unknown {
  return readJoined(file).document
}

/** All files below a folder, by their paths in it. */
export function filesBelow(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((it) => it.replaceAll('\\', '/'))
  return new Map(
    names.sort().flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isFile() ? [[name, readFileSync(path)]] : []
    })
  )
}
