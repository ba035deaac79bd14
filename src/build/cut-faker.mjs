import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'

/** The parts of faker that the fixtures call, with their dependencies. */
const parts = {
  datatype: ['boolean'],
  helpers: [
    'arrayElement',
    'arrayElements',
    'fake',
    'multiple',
    'mustache',
    'rangeToNumber',
    'shuffle',
    'weightedArrayElement'
  ],
  internet: ['email', 'username'],
  number: ['float', 'hex', 'int'],
  person: ['firstName', 'lastName', 'sexType'],
  string: ['alphanumeric', 'fromCharacters', 'uuid']
}

/** The rest of faker is loaded when a user's module calls it. */
const rest = `
  import { words } from './company/topics.js'
  import { packed } from '../src/engine/contract/lazy.js'
  const wholes = new WeakMap()
  function rest(maker) {
    if (!wholes.has(maker)) {
      const { faker } = packed('faker')
      const { randomizer } = maker.fakerCore
      const whole = new faker.constructor({ locale: faker.rawDefinitions, randomizer })
      whole.setDefaultRefDate(maker.defaultRefDate())
      wholes.set(maker, whole)
    }
    return wholes.get(maker)
  }`

/** The plugin's output is created once for all bundles. */
let pieces

/** Replaces `fixtures/locale.ts` in the bundles by the parts of faker that the fixtures use. */
export const cutFaker = {
  name: 'cut-faker',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]fixtures[\\/]locale\.ts$/ }, async () => {
      pieces ??= Promise.all([fakerClass(), localeText()])
      return { contents: [rest, ...(await pieces)].join('\n'), resolveDir: resolve('fixtures') }
    })
  }
}

/** The code of the class `Faker`, without the parts that are loaded later. */
async function fakerClass() {
  const entry = 'faker-class'
  const bundle = await rolldown({
    input: entry,
    treeshake: { propertyReadSideEffects: false },
    checks: { pluginTimings: false },
    plugins: [
      {
        name: 'cut',
        resolveId: (id) => (id === entry ? id : undefined),
        load(id) {
          if (id === entry) return "export { Faker } from '@faker-js/faker'"
          return /[\\/]faker[\\/]dist[\\/]base-\w+\.js$/.test(id) ? cut(readFileSync(id, 'utf8')) : undefined
        }
      }
    ]
  })
  const { output } = await bundle.generate({ minify: true })
  return output[0].code
}

/** Methods that are loaded later call the whole library. */
function cut(code) {
  const classes = new Map()
  const modules = []
  const program = parseAst(code)
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.init?.type === 'ClassExpression')
      classes.set(node.id.name, node.init)
    if (node.type === 'PropertyDefinition' && node.value?.type === 'NewExpression') modules.push(node)
  })
  const edits = new Map()
  // An instance that the library exports would draw a seed when it loads, which workers refuse.
  for (const { init } of program.body.flatMap(({ declarations = [] }) => declarations)) {
    if (init?.type === 'NewExpression') edits.set({ start: init.start, end: init.start }, '/* @__PURE__ */ ')
  }
  for (const node of modules) {
    const { name } = node.key
    if (!parts[name]) edits.set(node, `get ${name}(){return rest(this).${name}}`)
    for (let it = classes.get(node.value.callee.name); parts[name] && it; it = classes.get(it.superClass?.name)) {
      for (const method of it.body.body.filter(({ kind }) => kind === 'method')) {
        const { name: called } = method.key
        if (!parts[name].includes(called))
          edits.set(method, `${called}(...e){return rest(this.faker).${name}.${called}(...e)}`)
      }
    }
  }
  return [...edits]
    .sort(([a], [b]) => b.start - a.start)
    .reduce((text, [{ start, end }, other]) => text.slice(0, start) + other + text.slice(end), code)
    .replace(/(?<=[:=])`[^`\\]*`\.split\(/g, pure)
    .replace(/(?<==)\(?function\(e\)\{return e\.\w+=/g, pure)
}

/** Marks a call without effects, so that it is removed if its value is unused. */
const pure = '/* @__PURE__ */$&'

function visit(node, each) {
  if (node === null || typeof node !== 'object') return
  if (typeof node.type === 'string') each(node)
  for (const value of Object.values(node)) visit(value, each)
}

/** The locale of the fixtures, without the data that is loaded later. */
async function localeText() {
  const { outputFiles } = await build({
    entryPoints: ['fixtures/locale.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false
  })
  const { locale } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  )
  const { first_name, last_name, last_name_pattern } = locale.person
  const { free_email } = locale.internet
  const english = { person: { first_name, last_name, last_name_pattern }, internet: { free_email } }
  return `export const locale = {...${JSON.stringify(english)}, larkfield: words}`
}
