import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { printPaths, printRows, readmes, withTables } from '../src/build/print.js'
import { printTypes } from '../src/build/types.js'
import { createContract } from '../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../src/engine/contract/ledger.js'
import { packageRoot, readDocuments } from '../src/engine/contract/load.js'
import { operationIds } from './contract/document.js'
import { isSample } from './extent.js'

const root = packageRoot()
/** The files that installs and builds leave behind. */
const built = new Set(['node_modules', '.next', 'dist', 'screenshots', 'storybook-static'])

test('the printed types and the tables of the documents match the contracts', async () => {
  const types = await printTypes()
  const api = 'src/apis/knowledge-chat'
  expect(types.engine).toBe(readFileSync(join(root, 'src/engine/contract/types.gen.ts'), 'utf8'))
  expect(types.api).toBe(readFileSync(join(root, api, 'types.gen.ts'), 'utf8'))
  const entries = readLedger()
  const choices = defaultChoices(entries)
  const documents = readDocuments()
  expect(printRows(documents)).toBe(readFileSync(join(root, api, 'rows.gen.ts'), 'utf8'))
  const contract = createContract(documents, choices)
  expect(printPaths(contract, { entries, choices }, types.api)).toBe(
    readFileSync(join(root, api, 'paths.gen.ts'), 'utf8')
  )
  const texts = readmes().map((file) => readFileSync(file, 'utf8'))
  expect(texts.map(withTables)).toEqual(texts)
  for (const name of ['operations', 'assumptions', 'options'])
    expect([name, texts.filter((text) => text.includes(`<!-- ${name} -->`)).length]).toEqual([name, 1])
})

describe('in a copy of the house', () => {
  const copy = mkdtempSync(join(tmpdir(), 'kcm-house-'))
  for (const name of ['contracts', 'docs', 'fixtures', 'src', 'test', 'llms.txt', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !built.has(basename(path)) })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

  describe('rules do not compile if one', () => {
    const forgetful = {
      createChatSession: 'chat/chat.ts',
      createCredential: 'credentials/credentials.ts',
      replacePrivateKey: 'credentials/private-key.ts',
      linkCredential: 'indexing/link-credential.ts',
      updatePersona: 'personas/persona-patch.ts',
      setProjectInstructions: 'projects/projects.ts'
    }
    let output = ''
    beforeAll(async () => {
      const undo = [
        edit('src/apis/knowledge-chat/rules/limits/limits.ts', (text) =>
          text.replace(/ {2}\/\*\*[^/]*E30[^/]*\*\/\n/, '').replace(/deleteTokenRateLimit\([\s\S]*\n {2}\}\n/, '')
        ),
        edit('src/apis/knowledge-chat/rules/web/web.ts', (text) => text.replace('openUrls(', 'openPages(')),
        edit('src/apis/knowledge-chat/rules/tools/tools.ts', (text) =>
          text.replace(/return \{ deleted: true[^}]*\}/, "return { deleted: 'yes' }")
        ),
        edit('src/apis/knowledge-chat/types.gen.ts', (text) =>
          Object.keys(forgetful).reduce((before, id) => {
            const name = `${id[0]?.toUpperCase()}${id.slice(1)}Input`
            const body = new RegExp(`export interface ${name} \\{[\\s\\S]*?\\bbody: \\{`)
            expect(before).toMatch(body)
            return before.replace(body, '$& forgotten?: string;')
          }, text)
        )
      ]
      const compiled = await run('npx', ['tsc', '--noEmit'])
      for (const it of undo) it()
      output = compiled.output
    })

    test.each([
      ['is missing', /rules\/limits\/limits.*deleteTokenRateLimit/],
      ['is misnamed', /rules\/web\/web.*openPages/],
      ['returns a wrong shape', /rules\/tools\/tools.*deleted/]
    ])('%s', (_, message) => {
      expect(output).toMatch(message)
    })

    test.each(Object.entries(forgetful))('forgets a field of a body that it stores: %s', (_, file) => {
      expect(output).toContain(`src/apis/knowledge-chat/rules/${file}`)
    })
  })

  test('a build over an earlier one puts a changed fixture into the default set', async () => {
    const build = () => run('node', ['src/build/build.mjs'])
    const demo = () => readFileSync(join(copy, 'dist/demo.json'), 'utf8')
    expect(await build()).toMatchObject({ failed: false })
    expect(demo()).toContain('"Release scribe"')
    const undo = edit('fixtures/company/agents.ts', (text) => text.replace("'Release scribe'", "'Release herald'"))
    expect(await build()).toMatchObject({ failed: false })
    undo()
    expect(demo()).toContain('"Release herald"')
    expect(demo()).not.toContain('"Release scribe"')
  })

  test('a nullable field takes three edits: its contract, its factory, its test', async () => {
    edit('contracts/personas.json', (text) => {
      const contract = JSON.parse(text)
      const { Persona } = contract.$defs
      const motto = { type: 'string', description: 'What the agent believes in.' }
      Persona.properties.motto = { ...motto, 'x-null': { 'responses.null': ['null'] } }
      Persona.required.push('motto')
      Persona.examples[0].motto = 'Brief'
      const { row } = contract.collections.personas
      row.properties.motto = { $ref: '#/$defs/Persona/properties/motto' }
      row.required.push('motto')
      const { properties } = contract.operations.updatePersona.input.body
      properties.motto = { ...motto, 'x-null': { 'requests.null': ['accepted'] } }
      return JSON.stringify(contract, null, 2)
    })
    edit('fixtures/personas.ts', (text) =>
      text.replace('task_prompt: null,', "task_prompt: null,\n    motto: 'Ask first.',")
    )
    writeFileSync(
      join(copy, 'test/rules/motto.test.ts'),
      `import { startTestMock } from '../mock.js'
const mock = await startTestMock()
test('the motto of an agent is set, kept, and removed', async () => {
  const motto = async (body) => (await mock.call('PATCH', '/api/persona/1', { body })).body.motto
  expect([await motto({ motto: 'Brief' }), await motto({ num_chunks: 3 })]).toEqual(['Brief', 'Brief'])
  expect((await mock.call('GET', '/api/persona/1')).body.motto).toBe('Brief')
  expect((await mock.call('PATCH', '/api/persona/1', { body: { motto: 7 } })).status).toBe(422)
})
`
    )
    const files = [
      'rules/motto',
      'rules/persona',
      'contract',
      'fixtures',
      'reachable',
      'verify/verify',
      'verify/foreign'
    ]
    await passes([...files, ...(isSample ? [] : ['rules', 'property', 'assumptions'])])
  })

  test('an endpoint takes three edits: its contract, its rule, its test', async () => {
    const code = `E${operationIds.length + 1}`
    const named = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', description: 'What the tool is called.' } }
    }
    edit('contracts/tools.json', (text) => {
      const contract = JSON.parse(text)
      contract.operations.renameTool = {
        code,
        method: 'PUT',
        path: '/api/admin/tool/custom/{tool_id}/name',
        summary: 'Rename a custom tool',
        description: 'Body: name (string). Response 200: {name: string}.',
        access: { paths: 'curator', admins: 'admin', matrix: 'curator' },
        input: {
          path: {
            type: 'object',
            required: ['tool_id'],
            properties: { tool_id: { type: 'integer', description: 'The id of the tool.' } }
          },
          body: named
        },
        examples: { plain: { path: { tool_id: 7 }, body: { name: 'Weather' } } },
        responses: { 200: { description: 'The name', schema: named, examples: { renamed: { name: 'Weather' } } } },
        refusals: { missing: { status: 404, assumed: ['errors.missing'], body: { detail: 'Tool not found' } } }
      }
      return JSON.stringify(contract, null, 2)
    })
    edit('src/apis/knowledge-chat/rules/tools/tools.ts', (text) =>
      text.replace(
        /(: Rules<'tools'> = \{\n)/,
        `$1  renameTool({ path, body }, { rows }) {
    const tool = rows.tools.get(path.tool_id)
    if (!tool) throw missing(tool, path)
    rows.tools.put({ ...tool, name: body.name })
    return { name: body.name }
  },

`
      )
    )
    writeFileSync(
      join(copy, 'test/rules/rename.test.ts'),
      `import { startTestMock } from '../mock.js'
const mock = await startTestMock()
test('a renamed tool has its new name', async () => {
  const { status, body } = await mock.call('PUT', '/api/admin/tool/custom/7/name', { body: { name: 'Weather' } })
  expect([status, body.name, mock.sandbox.rows.tools.get(7)?.name]).toEqual([200, 'Weather', 'Weather'])
  expect((await mock.call('PUT', '/api/admin/tool/custom/x/name', { body: { name: 7 } })).body.detail).toHaveLength(2)
  expect((await mock.call('GET', '/openapi.json')).text).toContain('renameTool')
})
`
    )
    await passes(['rules/rename', 'rules/tools', 'access', 'control/coverage', 'control/prefer', 'contract'])
    expect(readFileSync(join(copy, 'contracts/README.md'), 'utf8').includes(`| ${code} | \`renameTool\` |`)).toBe(true)
  })

  /** Builds the copy, and runs every test of these files. */
  async function passes(files: string[]): Promise<void> {
    // The whole build checks the types, too.
    const build = isSample
      ? 'node src/build/build.mjs print && node dist/print.js && node src/build/build.mjs'
      : 'npm run build'
    expect(await run('sh', ['-c', build])).toMatchObject({ failed: false })
    expect(await run('npx', ['jest', ...files.map((name) => `test/.*${name}`)])).toMatchObject({ failed: false })
  }

  /** Changes a file; returns a function that restores it. */
  function edit(name: string, change: (text: string) => string): () => void {
    const file = join(copy, name)
    const before = readFileSync(file, 'utf8')
    expect(change(before)).not.toBe(before)
    writeFileSync(file, change(before))
    return () => writeFileSync(file, before)
  }

  async function run(command: string, args: string[]): Promise<{ failed: boolean; output: string }> {
    // The affected tests are enough here.
    const env = { ...process.env, PROOF: 'sample', NODE_OPTIONS: '' }
    try {
      const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: copy, env })
      return { failed: false, output: stdout + stderr }
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      return { failed: true, output: stdout + stderr }
    }
  }
})

/** Each room may import from those after it, not from those before it. Scenes of an API are above the tools, and the API below. */
const rooms = [
  'build',
  'entries',
  'doors',
  'scenes',
  'tools',
  'guide',
  'dashboard',
  'redis',
  'apis',
  'engine',
  'browser'
]

/** The sources of the server, by their paths below src. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.gen.ts'))
  .map((name) => ({ name, text: readFileSync(join(root, 'src', name), 'utf8') }))

function roomOf(path: string): string {
  if (/^apis\/[^/]+\/scenes\//.test(path)) return 'scenes'
  return path.includes('/') ? (path.split('/')[0] as string) : 'entries'
}

/** The imports of a source from the project, as paths below src. */
const importsOf = new Map(
  sources.map(({ name, text }) => [
    name,
    [...text.matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)]
      .map(([, path]) => join(dirname(name), path as string))
      .filter((path) => !path.startsWith('..'))
  ])
)

test('a room imports only from the rooms below it, types included', () => {
  const upwards = [...importsOf].flatMap(([name, paths]) =>
    paths
      .filter((path) => rooms.indexOf(roomOf(path)) < rooms.indexOf(roomOf(name)))
      .map((path) => `${name} imports ${path}`)
  )
  expect(upwards).toEqual([])
  expect([...new Set(sources.map(({ name }) => roomOf(name)))].sort()).toEqual([...rooms].sort())
})

/** The names in the contracts, without the control API. */
const namesOfApi = readdirSync(join(root, 'contracts'))
  .filter(
    (name) => name.endsWith('.json') && !['control', 'assumptions', 'contract.schema'].includes(basename(name, '.json'))
  )
  .flatMap((name) => {
    const { operations = {}, collections = {} } = JSON.parse(readFileSync(join(root, 'contracts', name), 'utf8'))
    return [basename(name, '.json'), ...Object.keys(operations), ...Object.keys(collections)]
  })

/** Files in which ordinary words happen to be names of the API. */
const otherMeanings = [
  // The type of rows that a path names.
  "dashboard/pages/api.ts: 'users'",
  // The files of a form.
  "dashboard/pages/send/form.tsx: 'files'",
  // The parts of a form in a message about its size.
  "engine/serve/body/form-parts.ts: 'files'",
  "engine/serve/body/storage.ts: 'files'",
  // The example of an operation in a message.
  'tools/matchers/honour-contract.ts: getPersona'
]

test('no name of the API occurs in engine, redis, tools, doors or dashboard, and the engine needs no fixtures', () => {
  const unmistakable = namesOfApi.filter((name) => /[A-Z]/.test(name)).join('|')
  const ordinary = namesOfApi.filter((name) => /^[a-z]+$/.test(name)).join('|')
  const names = new RegExp(
    `\\b(${unmistakable})\\b|'(${ordinary})'|\\brows\\.(${ordinary})\\b|Knowledge Chat|[Pp]ersona|[Cc]onnector`,
    'g'
  )
  const found = sources
    .filter(({ name }) => /^(engine|redis|doors|tools|dashboard)\//.test(name))
    .flatMap(({ name, text }) => [...new Set(text.match(names))].map((it) => `${name}: ${it}`))
  expect(found.sort()).toEqual(otherMeanings)
  const seeded = sources.filter(({ name, text }) => name.startsWith('engine/') && /'[./]*\/fixtures\//.test(text))
  expect(seeded.map(({ name }) => name)).toEqual([])
})

/** The source of an import: `.js` is written for either. */
function sourceOf(path: string): string {
  const stem = path.replace(/\.js$/, '')
  return importsOf.has(`${stem}.tsx`) ? `${stem}.tsx` : `${stem}.ts`
}

test('no files import each other in a circle, types included', () => {
  const above: string[] = []
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (name: string): void => {
    if (above.includes(name)) circles.push([...above.slice(above.indexOf(name)), name].join(' > '))
    if (done.has(name)) return
    done.add(name)
    above.push(name)
    for (const path of importsOf.get(name) ?? []) visit(sourceOf(path))
    above.pop()
  }
  for (const name of importsOf.keys()) visit(name)
  expect(circles).toEqual([])
})

test('rules use no real time, no chance and no waiting', () => {
  const found = sources
    .filter(({ name }) => roomOf(name) === 'apis' || name.startsWith('engine/control/'))
    // The entry to the rules of control.
    .filter(({ name }) => !/^engine\/control\/(steps|call|events|sign-in)\.ts$/.test(name))
    .flatMap(({ name, text }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\basync\b|\bawait\b|\bsetTimeout\b/.exec(code)
      return impure ? [`${name}: ${impure[0]}`] : []
    })
  expect(found).toEqual([])
})

test('only doors, tools and redis use the messages of Node', () => {
  const knowing = sources.filter(({ text }) => /\b(IncomingMessage|ServerResponse)\b/.test(text))
  expect(knowing.map(({ name }) => name).filter((name) => !/^(doors|tools|redis)\//.test(name))).toEqual([])
})

test('a folder has at most twenty files', () => {
  const counts = new Map<string, number>()
  for (const { name } of sources) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > 20)).toEqual([])
})

test('no file is longer than 500 lines', () => {
  const files = sources.map(({ name, text }) => [name, text.split('\n').length] as const)
  expect(files.filter(([, lines]) => lines > 500)).toEqual([])
})
