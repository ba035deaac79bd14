// The bundle for browsers: one file, without node's own modules and without code generated at run time.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { relative, resolve } from 'node:path'
import { minify } from '@swc/core'
import { cutFaker } from './cut-faker.mjs'
import { build } from './notices.mjs'

/** Replacements for what browsers do not have. If a bundle needs any other node module, the build fails. */
export const standIns = {
  'node:buffer': 'src/browser/buffer.ts',
  'node:crypto': 'src/browser/crypto.ts',
  'node:fs': 'src/browser/fs.ts',
  'node:http': 'src/browser/http.ts',
  'node:net': 'src/browser/net.ts',
  'node:path': 'src/browser/path.ts',
  'node:perf_hooks': 'src/browser/web.ts',
  'node:stream/web': 'src/browser/web.ts',
  'node:timers': 'src/browser/timers.ts',
  'node:timers/promises': 'src/browser/timers-promises.ts',
  'node:url': 'src/browser/url.ts',
  'node:util': 'src/browser/util.ts',
  'node:util/types': 'src/browser/util.ts',
  'node:vm': 'src/browser/native.ts',
  'node:zlib': 'src/browser/zlib.ts',
  'src/doors/with/api.ts': 'src/browser/no-api.ts',
  'src/doors/with/modules.ts': 'src/browser/no-api.ts',
  'src/doors/with/overlay.ts': 'src/browser/no-api.ts',
  'src/engine/answers/documented.ts': 'src/browser/no-api.ts',
  'src/engine/answers/errors.ts': 'src/browser/no-api.ts',
  'src/engine/answers/links.ts': 'src/browser/no-api.ts',
  'src/engine/contract/lazy.ts': 'src/engine/contract/bundled.ts',
  'src/engine/metrics/process.ts': 'src/browser/no-api.ts',
  'src/engine/serve/body/parts.ts': 'src/engine/serve/body/form-parts.ts',
  'src/engine/serve/message/tokens.ts': 'src/browser/no-api.ts',
  'src/engine/serve/owners.ts': 'src/browser/no-api.ts'
}

const root = resolve(import.meta.dirname, import.meta.dirname.endsWith('dist') ? '..' : '../..')

const forBrowsers = {
  name: 'for-browsers',
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /^node:/ }, ({ path, importer }) => {
      const file = standIns[path]
      return file ? { path: resolve(root, file) } : { errors: [{ text: `nothing replaces ${path} in ${importer}` }] }
    })
    onResolve({ filter: /^\.{1,2}\// }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === 'found') return undefined
      const result = await find(path, { ...rest, pluginData: 'found' })
      const file = standIns[relative(root, result.path)]
      return file && !rest.importer.endsWith(file) ? { path: resolve(root, file) } : undefined
    })
    // The texts of `--help` are for a terminal.
    onLoad({ filter: /doors[\\/]options[\\/]mock-table\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^\s*help: (['"]).*\1,?$/gm, ''),
      loader: 'ts'
    }))
    onResolve({ filter: /^package-files$/ }, ({ path }) => ({ path, namespace: 'made' }))
    onLoad({ filter: /^/, namespace: 'made' }, () => ({
      contents: `export const packageFiles = ${JSON.stringify(packageFiles())}
        export const statusTexts = ${JSON.stringify(STATUS_CODES)}`
    }))
  }
}

/** The files of the package that the mock reads, by their paths below its root. */
function packageFiles() {
  const { version } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'))
  const names = ['contracts', 'fixtures/scenarios'].flatMap((folder) =>
    readdirSync(resolve(root, folder))
      .filter((name) => name.endsWith('.json') && name !== 'contract.schema.json')
      .map((name) => `${folder}/${name}`)
  )
  // The bundle packs better in this order.
  const order = 'assumptions connectors credentials personas projects tools chat files web users limits common control'
  const first = order.split(' ').map((name) => `contracts/${name}.json`)
  const files = [...new Set([...first, ...names])]
  const small = (file) => {
    const content = JSON.parse(readFileSync(resolve(root, file), 'utf8'))
    // Documents describe the files with operations.
    if (file.startsWith('contracts/') && !content.operations) delete content.description
    // No agents connect to a browser. It is one process, and follows no service.
    for (const name of ['Cluster', 'ShadowReport']) {
      const { properties } = content.$defs?.[name] ?? {}
      // The list of sandboxes has this one, too.
      if (properties) content.$defs[name] = { properties: { silent: properties.silent } }
    }
    return JSON.stringify(content, (key, it) => (key === 'tool' ? undefined : it))
  }
  return {
    '/package.json': JSON.stringify({ version }),
    ...Object.fromEntries(files.map((file) => [`/${file}`, small(file)]))
  }
}

export const browserEntries = ['browser', 'service-worker']

/** Builds the bundles, or another one with other entries. */
export async function buildBrowser(more = {}) {
  const options = {
    absWorkingDir: root,
    entryPoints: Object.fromEntries(browserEntries.map((name) => [name, `src/${name}.ts`])),
    outdir: 'dist',
    bundle: true,
    platform: 'browser',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    minify: true,
    logLevel: 'warning',
    inject: ['src/browser/globals.ts'],
    define: { 'import.meta.url': '"/dist/browser.js"' },
    plugins: [cutFaker, forBrowsers]
  }
  if (more.entryPoints) return build({ ...options, format: 'esm', ...more })
  await build({ ...options, format: 'esm' })
  // Only the user's own endpoints need these packages, in full.
  await build({ ...options, entryPoints: { documents: 'src/build/documents.ts' }, plugins: [], format: 'esm' })
  await build({ ...options, format: 'cjs', outExtension: { '.js': '.cjs' } })
  await shrink('dist/browser.js', true)
  await shrink('dist/browser.cjs', false)
}

/** Makes a bundle even smaller, because visitors load it. */
async function shrink(file, module) {
  const { code } = await minify(readFileSync(file, 'utf8'), {
    module,
    mangle: true,
    compress: { passes: 6, keep_fargs: false },
    ecma: 2022
  })
  writeFileSync(file, code)
}
