import type { SiteFiles } from '../worker/shelf.js'

export interface WorkerParts {
  base: string
  options: object
  files: Record<string, string>
  /** The user's own modules: their paths in the options, and in the site. */
  modules: [path: string, file: string][]
  site: SiteFiles
}

/** The script of the site's worker. */
export function workerText({ base, options, files, modules, site }: WorkerParts): string {
  const mount = base.replace(/\/$/, '')
  const imports = modules.map(([, file], at) => `import * as module${at} from './${file}'`)
  const exported = modules.map(([path], at) => `${JSON.stringify(path)}: module${at}`)
  return `import { openSite } from './mock/browser.js'
import { serve } from './mock/service-worker.js'
${modules.length === 0 && Object.keys(files).length === 0 ? 'const packages = {}' : "import * as packages from './mock/own.js'"}
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

/** Registers the worker, then reloads the address, whose page the worker has. */
export const startText = `import { register } from './service-worker.js'
const scope = new URL('..', import.meta.url).pathname
const say = (text) => { document.querySelector('p').textContent = text }
if (navigator.serviceWorker?.controller) say('There is no page at this address.')
else {
  register(new URL('../mock-worker.js', import.meta.url), { scope }).then(
    () => location.reload(),
    (error) => say(error.message)
  )
}
`

/** Keeps the worker awake while a page is open. */
export const stayText = `import { register } from './service-worker.js'
register(new URL('../mock-worker.js', import.meta.url), { scope: new URL('..', import.meta.url).pathname }).catch(console.error)
`

/** What the site shows before its worker runs. */
export function startPage(base: string): string {
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
export function staying(html: string, base: string): string {
  const script = `<script src="${base}mock/stay.js" type="module"></script>`
  return /<\/head>/i.test(html) ? html.replace(/<\/head>/i, `${script}$&`) : script + html
}
