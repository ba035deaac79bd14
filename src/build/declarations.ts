// Run by npm run build after tsc: bundles its declarations into one file per entry point of the package.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { mockTable } from '../doors/options/mock-table.js'
import { openapiTable, serveTable } from '../doors/options/table.js'
import { packageRoot } from '../engine/contract/load.js'
import { configTable, printInterface } from './options.js'

const dist = join(packageRoot(), 'dist')
const faker = '@faker-js/faker'

const printed = {
  'mock-table': [
    "import type { JournalEntry } from '../../engine/contract/types.gen.js'\n",
    printInterface('MockOptions', 'The options of a mock. Every field has a default.', mockTable)
  ],
  table: [
    "import type { ForwardOptions } from '../../tools/proxy/forward.js'\nimport type { MockOptions } from './mock-table.js'\n",
    printInterface('ServerOptions extends MockOptions', 'The options of `serve`.', without(serveTable, mockTable)),
    printInterface(
      'ConfigOptions extends ServerOptions',
      'The options of a config file.',
      without(configTable(), serveTable)
    ),
    printInterface('OpenapiOptions', 'The options of `openapi`.', openapiTable)
  ]
}

/** Replaces types derived from the tables by interfaces with the help of each option as its comment. */
const printedOptions: Plugin = {
  name: 'printed-options',
  load: {
    filter: { id: /[\\/]options[\\/](mock-)?table\.d\.ts$/ },
    handler: (id) => printed[basename(id, '.d.ts') as keyof typeof printed].join('')
  }
}

function without<T extends object>(table: T, other: object): T {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !Object.hasOwn(other, name))) as T
}

const { exports } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
for (const path of Object.keys(exports).filter((it) => !it.endsWith('.json'))) {
  const entry = path === '.' ? 'index' : path.slice(2)
  const bundle = await rolldown({
    input: join(dist, `types/src/${entry}.d.ts`),
    external: /^[^./]/,
    plugins: [printedOptions, dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
    // The time of a plugin depends on the machine.
    checks: { pluginTimings: false },
    onLog(level, log) {
      // The time of plugins depends only on the machine.
      if (level === 'warn' && log.code !== 'PLUGIN_TIMINGS') throw new Error(log.message)
    }
  })
  const { output } = await bundle.generate({ format: 'es' })
  const [{ code, imports }] = output
  // Users have the types of Node, of faker, and of the package that an entry is for.
  const foreign = [...imports, ...output.slice(1).map(({ fileName }) => fileName)].filter(
    (it) => !it.startsWith('node:') && it !== faker && it !== entry
  )
  if (foreign.length > 0) throw new Error(`The declarations of ${entry} import ${foreign.join(', ')}.`)
  // Faker is an ES module, which a declaration for CommonJS must state.
  const text = code.replace(
    /import (\{[^}]{0,500}\}) from "@faker-js\/faker"/,
    "import type $1 from '@faker-js/faker' with { 'resolution-mode': 'import' }"
  )
  const types = [
    ...(/\bnode:|\bBuffer\b/.test(text) ? ['types="node"'] : []),
    ...(/\bDisposable\b|AsyncDisposable/.test(text) ? ['lib="esnext.disposable"'] : [])
  ]
  const head = types.map((it) => `/// <reference ${it} />\n`).join('')
  for (const ending of ['d.ts', 'd.cts']) writeFileSync(join(dist, `${entry}.${ending}`), `${head}${text}\n`)
}
