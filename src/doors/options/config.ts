import { existsSync, readdirSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import { didYouMean } from '../../engine/contract/nearest.js'
import { loadAll } from '../with/modules.js'

/** `knowledge-chat-mock.config.json`, and modules with a default export. */
const fileName = /^knowledge-chat-mock\.config\.(json|[mc]?[jt]s)$/

export interface Config {
  file: string
  values: Record<string, unknown>
}

/**
 * Reads the config file: the given one, else that in the working directory. Undefined: there is none. Throws an Error that names
 * the file and an option that no command has, or several files.
 */
export async function readConfig(path: string | undefined, names: ReadonlySet<string>): Promise<Config | undefined> {
  const file = path ?? configIn(process.cwd())
  if (file === undefined) return undefined
  if (!existsSync(file)) throw new Error(`there is no config file ${file}`)
  const isJson = file.endsWith('.json')
  const config = isJson ? readUserFile(file) : (await loadAll([file]))(file)
  const { default: own = config } = (config ?? {}) as { default?: unknown }
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new Error(`${file}: ${isJson ? 'give' : 'export by default'} an object of options`)
  }
  const unknown = Object.keys(own).find((name) => name !== '$schema' && !names.has(name))
  if (unknown !== undefined)
    throw new Error(`${file}: there is no option ${unknown}. ${didYouMean(unknown, [...names])}`)
  return { file, values: { ...own } }
}

function configIn(folder: string): string | undefined {
  const [file, ...others] = readdirSync(folder).filter((name) => fileName.test(name))
  if (others.length > 0) throw new Error(`there are several config files: ${[file, ...others].join(', ')}. Keep one.`)
  return file
}

/**
 * A value of a config file with absolute paths, which are relative to the file: in options for files and folders, after `=` in
 * reports, and after `@` in choices.
 */
export function placed(value: unknown, placeholder: string | undefined, file: string): unknown {
  if (Array.isArray(value)) return value.map((it) => placed(it, placeholder, file))
  if (typeof value !== 'string') return value
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(dirname(file), path))
  switch (placeholder) {
    case 'file':
    case 'folder':
    case 'path':
      return absolute(value)
    case 'folder, file or url':
      return /^\w+:\/\//.test(value) ? value : absolute(value)
    case 'name or file':
      return /[./\\]/.test(value) ? absolute(value) : value
    case 'forms': {
      const [form, path] = value.split(/=(.*)/s)
      return path === undefined ? value : `${form}=${absolute(path)}`
    }
    case 'id=choice':
      return value.startsWith('@') ? `@${absolute(value.slice(1))}` : value
    default:
      return value
  }
}
