import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { type JsonObject, packageRoot, shown } from '../../engine/contract/load.js'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import { makeFolder } from '../../engine/keep/make-folder.js'
import type { Edition } from '../../engine/ledger/edition.js'
import type { MockOptions } from '../options/mock-table.js'
import { isFile } from '../program/edition/fixture-file.js'
import { createMock } from '../program/mock.js'
import { isScenarioFile } from '../program/option-files.js'
import { loadAll } from '../with/modules.js'
import { overlaid } from '../with/overlay.js'
import { readJoined } from '../with/references.js'
import { filesOf, isRoutes, modulesOf } from '../with/with.js'
import type { SiteFiles } from '../worker/serve.js'

export interface SiteOptions {
  app?: string
  /** The path of the site, with a slash at both ends. */
  base: string
  /** Only the worker and its parts, next to the files of an application that its own host serves. */
  worker?: boolean
  mock: MockOptions
}

const mockNames = /^(mock|__mock|docs)(\/|$)|^(mock-worker\.js|openapi\.json)$/

const ofWorker = /^mock(-worker\.js$|\/(own|pages)\/|\/(browser|service-worker|documents|start|stay)\.js$)/

/**
 * Writes a folder for any static host: dashboard, explorer and, with `app`, an application, with a mock in the visitor's
 * browser. Returns the number of files. Throws an Error that names the option or file that does not fit.
 */
export async function writeSite(folder: string, { app, base, worker, mock: input }: SiteOptions): Promise<number> {
  if (worker && app !== undefined)
    throw new Error('worker (--worker) is for a host that serves the application: leave out app (--app).')
  checkFolder(folder, app, worker)
  const sources = modulesOf(input.with ?? [])
  for (const file of sources.filter(isRoutes)) {
    console.error(`${shown(file)} is left out of the site: Express does not run in browsers.`)
  }
  const mock = createMock(input, { load: await loadAll(sources.filter((it) => !isRoutes(it))) })
  await mock.ready.finally(() => mock.close())
  const { options, files, modules } = await carried(input)
  const dist = join(packageRoot(), 'dist')
  const site = new Map<string, string | Buffer>()

  let home: string | undefined
  for (const [name, bytes] of app === undefined ? [] : appFiles(app)) {
    if (name === 'index.html') {
      home = 'mock/app.html'
      site.set(home, staying(bytes.toString(), base))
    } else site.set(name, bytes)
  }
  for (const [name, bytes] of filesBelow(join(dist, 'pages'))) {
    // The manual is for developers, and starts its own mock.
    if (name.startsWith('guide/')) continue
    const html = input.control === 'off' ? '<html data-control="off"' : '<html'
    const isPage = name.endsWith('.html')
    site.set(`mock/pages/${name}`, isPage ? staying(bytes.toString().replace('<html', html), base) : bytes)
  }
  for (const name of ['browser.js', 'service-worker.js', 'documents.js']) {
    const isNeeded = name !== 'documents.js' || Object.keys(files).length > 0
    if (isNeeded) site.set(`mock/${name}`, readFileSync(join(dist, name)))
  }
  site.set('mock/start.js', startText)
  site.set('mock/stay.js', stayText)
  const bundled = Object.entries(modules).map(([path, text], at): [string, string] => {
    const file = `mock/own/${at}.js`
    site.set(file, text)
    return [path, file]
  })
  const parts = { base, options, files, modules: bundled }
  const paths = [...site.keys()]
  const segments = worker ? segmentsOf(mock.edition) : undefined
  const carriedSite = { version: versionOf(site, parts), files: paths, home, segments }
  site.set('mock-worker.js', workerText({ ...parts, site: carriedSite }))
  for (const page of worker ? [] : ['index.html', '404.html', '__mock/index.html', 'docs/index.html']) {
    if (!site.has(page)) site.set(page, startPage(base))
  }
  // Without it, GitHub Pages leaves out folders that begin with an underscore.
  if (!worker) site.set('.nojekyll', '')
  // The modules of an earlier site are removed; other files are overwritten.
  makeFolder(folder)
  for (const part of ['own', 'pages']) rmSync(join(folder, 'mock', part), { recursive: true, force: true })
  for (const [name, content] of site) {
    makeFolder(dirname(join(folder, name)))
    writeFileSync(join(folder, name), content)
  }
  return site.size
}

/** The first segments of the paths of all operations. The host of an application keeps the others. */
function segmentsOf({ contractOf, choices }: Edition): string[] {
  const first = [...contractOf(choices).operations.values()].map(({ path }) => path.split('/')[1] ?? '')
  return [...new Set(first)].filter((it) => !it.includes('{'))
}

/** A folder with other contents is not touched. */
function checkFolder(folder: string, app: string | undefined, besides: boolean | undefined): void {
  if (folder === '') throw new Error('folder is empty: give one for the site, such as demo.')
  if (app !== undefined && `${resolve(folder)}${sep}`.startsWith(`${resolve(app)}${sep}`)) {
    throw new Error(`${shown(folder)} is in app (--app): the next site would have this one in it. Give another folder.`)
  }
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new Error(`${shown(folder)} is a file. Give a folder for the site.`)
  const names = readdirSync(folder)
  const worker = join(folder, 'mock-worker.js')
  const isOurs = existsSync(worker) && readFileSync(worker, 'utf8').includes(workerImport)
  const isFree = besides && !names.includes('mock') && !names.includes('mock-worker.js')
  if (names.length === 0 || isOurs || isFree) return
  throw new Error(`${shown(folder)} is not empty, and no site of this mock. Give another folder.`)
}

function appFiles(app: string): Map<string, Buffer> {
  if (!existsSync(join(app, 'index.html'))) {
    throw new Error(
      `app (--app) is ${app}: there is no index.html in it. Give the folder of an application that is built.`
    )
  }
  // Everyone could read its .env files and its packages.
  if (existsSync(join(app, 'package.json'))) {
    throw new Error(`app (--app) is ${app}: that is a project. Give the folder of what was built of it, such as dist.`)
  }
  const files = filesBelow(app)
  // A build has copied what `--worker` wrote into its public folder.
  const isCopy = files.has('mock-worker.js')
  for (const name of isCopy ? [...files.keys()] : []) if (ofWorker.test(name)) files.delete(name)
  const clash = [...files.keys()].find((name) => mockNames.test(name))
  if (clash !== undefined)
    throw new Error(`app (--app) has the file ${clash}, which would hide what the mock has there.`)
  return files
}

function versionOf(site: ReadonlyMap<string, string | Buffer>, parts: object): string {
  const hash = createHash('sha256').update(JSON.stringify(parts))
  for (const [name, content] of site) hash.update(name).update(content)
  return hash.digest('hex').slice(0, 16)
}

/** Reads the files that options name. Throws an Error that names a file that cannot be included. */
async function carried(input: MockOptions) {
  const files: Record<string, string> = {}
  /** Modules by their paths there, as ES modules without imports. */
  const modules: Record<string, string> = {}
  /** The options, with the files named as the site has them. */
  const options = { ...input } as Omit<MockOptions, 'fixtures'> & { fixtures?: string }

  const carry = (file: string, to: string, read: (file: string) => unknown = readUserFile): string => {
    files[to] = JSON.stringify(read(file))
    return to
  }
  if (input.overrides !== undefined) options.overrides = carry(input.overrides, '/given/overrides.json')
  if (input.scenario !== undefined && isScenarioFile(input.scenario)) {
    options.scenario = carry(input.scenario, `/given/${basename(input.scenario).replace(/\.\w+$/, '.json')}`)
  }
  if (input.fixtures !== undefined && isFile(input.fixtures)) {
    if (!input.fixtures.endsWith('.json')) {
      throw new Error(`fixtures is ${input.fixtures}: a site takes JSON, such as GET /__mock/state gives.`)
    }
    options.fixtures = carry(input.fixtures, `/given/${basename(input.fixtures)}`)
  }

  const source = async (path: string, position: number): Promise<string> => {
    const to = `/own/${position}/${basename(resolve(path))}`
    if (!statSync(path).isDirectory()) return carry(path, to, documentIn)
    const { document, overlay } = filesOf(path)
    const whole = (file: string) =>
      overlay === undefined ? documentIn(file) : overlaid(overlay, documentIn(file), () => {}).document
    if (document !== undefined) carry(document, join(to, 'openapi.json'), whole)
    for (const name of ['fixtures.json', 'assumptions.json'])
      if (existsSync(join(path, name))) carry(join(path, name), join(to, name))
    for (const file of modulesOf([path])) {
      const name = join(to, basename(file))
      // Only its existence matters: its exports come as a module.
      files[name] = '// Its exports come as a module.'
      if (!isRoutes(file)) modules[name] = await bundled(file)
    }
    const scenarios = join(path, 'scenarios')
    for (const name of existsSync(scenarios) ? readdirSync(scenarios) : []) {
      if (isScenarioFile(name)) carry(join(scenarios, name), join(to, 'scenarios', name.replace(/\.\w+$/, '.json')))
    }
    return to
  }
  const sources = (input.with ?? []).map((it, at) => (typeof it === 'string' ? source(it, at) : it))
  options.with = await Promise.all(sources)
  return { options, files, modules }
}

function documentIn(file: string): JsonObject {
  return readJoined(file).document
}

function filesBelow(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((it) => it.replaceAll('\\', '/'))
  return new Map(
    names.sort().flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isFile() ? [[name, readFileSync(path)]] : []
    })
  )
}

/** One of the user's own modules as one ES module without imports. esbuild bundles several, if it is installed. */
export async function bundled(file: string): Promise<string> {
  const text = readFileSync(file, 'utf8')
  const isWhole =
    /\.m?js$/.test(file) && /^export\b/m.test(text) && !/^import\b|\bimport\(|\brequire\(|\bfrom\s*['"]/m.test(text)
  if (isWhole) return text
  const { build } = await import('esbuild').catch(() => {
    throw new Error(`${shown(file)} is not one ES module without imports: install esbuild, which makes one of it`)
  })
  const { outputFiles } = await build({
    entryPoints: [resolve(file)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent'
  }).catch((error: Error) => {
    throw new Error(`${shown(file)} cannot run in a browser: ${error.message.split('\n').slice(0, 2).join(' ')}`)
  })
  return outputFiles[0]?.text ?? ''
}

/** By this line the worker of a site is known. */
const workerImport = "import { serve } from './mock/service-worker.js'"

interface WorkerParts {
  base: string
  options: object
  files: Record<string, string>
  /** The user's own modules: their paths in the options, and in the site. */
  modules: [path: string, file: string][]
  site: SiteFiles
}

function workerText({ base, options, files, modules, site }: WorkerParts): string {
  const mount = base.replace(/\/$/, '')
  const imports = modules.map(([, file], at) => `import * as module${at} from './${file}'`)
  const exported = modules.map(([path], at) => `${JSON.stringify(path)}: module${at}`)
  return `import { openSite } from './mock/browser.js'
${workerImport}
${modules.length === 0 && Object.keys(files).length === 0 ? 'const packages = {}' : "import * as packages from './mock/documents.js'"}
${imports.join('\n')}
const options = ${JSON.stringify({ ...options, data: `knowledge-chat-mock ${base}` })}
const files = ${JSON.stringify(files)}
const modules = { ${exported.join(', ')} }
serve(() => openSite({ options, mount: ${JSON.stringify(mount)}, files, modules, packages }), {
  pages: ${JSON.stringify(`${mount}/mock/pages`)},
  site: ${JSON.stringify(site)}
})
`
}

/** Registers the worker, then reloads the address once. A page of the host may get its worker before this runs, from another tab. */
const startText = `import { register } from './service-worker.js'
const scope = new URL('..', import.meta.url).pathname
const say = (text) => { document.querySelector('p').textContent = text }
const reloaded = 'mock reloaded ' + location.pathname
if (navigator.serviceWorker?.controller && sessionStorage.getItem(reloaded)) say('There is no page at this address.')
else {
  register(new URL('../mock-worker.js', import.meta.url), { scope }).then(
    () => {
      sessionStorage.setItem(reloaded, 'yes')
      location.reload()
    },
    (error) => say(error.message)
  )
}
`

/** Keeps the worker awake while a page is open. */
const stayText = `import { register } from './service-worker.js'
register(new URL('../mock-worker.js', import.meta.url), { scope: new URL('..', import.meta.url).pathname }).catch(console.error)
`

/** What the site shows before its worker runs. */
function startPage(base: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Starting</title>
    <link rel="icon" href="data:,">
    <script src="${base}mock/start.js" type="module"></script>
  </head>
  <body>
    <p>Starting… This site is made for the path ${base} of its host.</p>
    <noscript>This page needs JavaScript.</noscript>
  </body>
</html>
`
}

/** A page with the script that keeps the worker awake. */
function staying(html: string, base: string): string {
  const script = `<script src="${base}mock/stay.js" type="module"></script>`
  return /<\/head>/i.test(html) ? html.replace(/<\/head>/i, `${script}$&`) : script + html
}
