// Builds dist/: few files, for a fast start. tsc and declarations.ts make the declarations.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { minify } from '@swc/core'
import { transform } from 'esbuild'
import { buildPages } from '../dashboard/build.mjs'
import { browserEntries, buildBrowser } from './browser.mjs'
import { cutFaker } from './cut-faker.mjs'
import { buildGuide } from './guide.mjs'
import { build, writeNotices } from './notices.mjs'
import { withIndex } from './with-index.mjs'

const { dependencies, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const shared = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning', outdir: 'dist' }
const entryNames = Object.keys(exports).flatMap((it) =>
  it === '.' ? 'index' : it.endsWith('.json') || browserEntries.includes(it.slice(2)) ? [] : it.slice(2)
)
const entries = Object.fromEntries(entryNames.map((name) => [name, `src/${name}.ts`]))
const atStart = ['sorted-btree', 'stemmer']
const external = Object.keys(dependencies).flatMap((name) => [name, `${name}/*`])

// The output of print.ts is part of the other bundles: `build.mjs print` builds only print.ts, to run it first.
await build({
  ...shared,
  entryPoints: { print: 'src/build/print.ts', declarations: 'src/build/declarations.ts' },
  format: 'esm',
  packages: 'external'
})
if (process.argv[2] === 'print') process.exit()

// Packages that a start needs are in the bundles: finding and linking their files takes longer than running them.
const laterOn = external.filter((name) => !atStart.some((it) => name === it || name === `${it}/*`))
for (const name of readdirSync('dist')) if (/^chunk-.*\.js$/.test(name)) rmSync(`dist/${name}`)
await build({
  ...shared,
  entryPoints: { main: 'src/main.ts', ...entries },
  format: 'esm',
  splitting: true,
  chunkNames: 'chunk-[hash]',
  plugins: [cutFaker, withIndex],
  external: [...laterOn, 'esbuild', 'msw']
})
// Separate files, loaded on first use: a package that is only an ES module; one that expects global node timers, which jsdom
// does not have; and one of a hundred files, which take longer to read than to run.
await build({
  ...shared,
  entryPoints: {
    faker: '@faker-js/faker/locale/en',
    sampler: 'json-schema-faker',
    jsonpath: 'jsonpath-rfc9535',
    multer: 'multer',
    linear: 'src/engine/contract/schemas/linear.ts',
    define: 'src/define.ts'
  },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  minify: true,
  inject: ['src/build/timers.mjs']
})
// CommonJS cannot require packages that are only ES modules, so those go into the bundle.
await build({
  ...shared,
  entryPoints: entries,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  external: ['esbuild', 'msw', 'express', 'ajv', 'ajv/*', 'cors', 'yauzl', 'sorted-btree', 'sorted-btree/*'],
  define: { 'import.meta.url': 'moduleUrl' },
  plugins: [cutFaker],
  banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" }
})

// Shorter code is read faster. Functions and classes keep their names, and code its lines, for readable stacks.
const dense = { minifyWhitespace: true, minifySyntax: true, lineLimit: 160 }
const mangle = { keep_fnames: true, keep_classnames: true }
for (const name of readdirSync('dist')) {
  const isModule = /^chunk-.*\.js$/.test(name) || ['main', ...entryNames].some((it) => name === `${it}.js`)
  if (!isModule && !entryNames.some((it) => name === `${it}.cjs`)) continue
  const text = readFileSync(`dist/${name}`, 'utf8')
  const { code } = await minify(text, { module: isModule, compress: false, mangle: { ...mangle, toplevel: false } })
  writeFileSync(`dist/${name}`, (await transform(code, dense)).code)
}

await buildBrowser()
await buildPages()
await buildGuide()
await build({ ...shared, entryPoints: { prepare: 'src/build/prepare.ts' }, format: 'esm', packages: 'external' })
await import(resolve('dist/prepare.js'))
writeNotices('dist/THIRD-PARTY-NOTICES.txt')
