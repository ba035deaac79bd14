import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { configTable, optionsTable, printInterface } from '../../../src/build/options.js'
import { adoptCommand } from '../../../src/doors/cli/adopt.js'
import { assumptionsCommand } from '../../../src/doors/cli/assumptions.js'
import { compareCommand } from '../../../src/doors/cli/compare.js'
import { execCommand } from '../../../src/doors/cli/exec.js'
import { initCommand } from '../../../src/doors/cli/init.js'
import { mcpCommand } from '../../../src/doors/cli/mcp.js'
import { openapiCommand } from '../../../src/doors/cli/openapi.js'
import { proxyCommand, proxyTable } from '../../../src/doors/cli/proxy.js'
import { recordCommand } from '../../../src/doors/cli/record.js'
import { scenarioCommand } from '../../../src/doors/cli/scenario.js'
import { staticCommand } from '../../../src/doors/cli/static.js'
import { verifyCommand, verifyTable } from '../../../src/doors/cli/verify.js'
import { addOptions, readOptions } from '../../../src/doors/options/command-line.js'
import { several } from '../../../src/doors/options/kinds.js'
import { settle, shown, type Table } from '../../../src/doors/options/option.js'
import { serveTable } from '../../../src/doors/options/table.js'

const rows = Object.entries(serveTable as Table)

test.each(rows)('every default of %s passes its own check', (_, { is, ...option }) => {
  const values = [option.default, option.commandLine, option.public].filter((it) => it !== undefined)
  expect(values.filter((it) => is.read(it) === undefined)).toEqual([])
})

test.each(rows.filter(([name]) => name !== 'upstream'))('%s refuses an object with its name', (name, { is }) => {
  const wrong = { [name]: name === 'assume' ? ['an-id', 7] : { no: 'value' } }
  expect(() => settle(serveTable, wrong)).toThrow(new RegExp(`^${name} (is|cannot be used)`))
  expect(() => settle(serveTable, wrong)).toThrow(`: give ${is.wanted}.`)
})

test('the types and the schema of a config file have the options of all commands', () => {
  const commands = [
    adoptCommand,
    assumptionsCommand,
    compareCommand,
    execCommand,
    initCommand,
    mcpCommand,
    openapiCommand
  ]
  const others = [proxyCommand, recordCommand, scenarioCommand, staticCommand, verifyCommand]
  const all = [...commands, ...others].map((it) => it()).flatMap((it) => [it, ...it.commands])
  const names = all.flatMap(({ options }) => options.map((it) => it.attributeName()))
  expect(Object.keys(configTable())).toEqual(expect.arrayContaining([...new Set(names)]))
  expect(names).toContain('noViolations')
  expect(configTable().format?.is.choices).toEqual(expect.arrayContaining(['yaml', 'github']))
})

test('a missing option has its default, and with public the public default', () => {
  expect(settle(serveTable, { port: undefined })).toMatchObject({ port: 4010, maxSandboxes: 10_000, corsOrigin: ['*'] })
  expect(settle(serveTable, { public: true, maxSandboxes: 7 })).toMatchObject({ rateLimit: 300, maxSandboxes: 7 })
})

test.each([
  ['sandboxIdle', 90, 90],
  ['sandboxIdle', '1m 30s', 90],
  ['sandboxIdle', '500ms', 0.5],
  ['resetEvery', 90, 90],
  ['resetEvery', '2s', 2000],
  // Longer than a timer of node can wait.
  ['shutdownTimeout', '30d', 2_147_482],
  ['lease', '3s', 3000]
])('a program may give %s as %j', (name, given, value) => {
  expect(settle(serveTable, { [name]: given })).toMatchObject({ [name]: value })
})

test('a plain number on the command line is in seconds, whatever the unit of the option', () => {
  const timed = [serveTable, verifyTable, proxyTable]
    .flatMap((it) => Object.entries(it as Table))
    .filter(([, { is }]) => is.unit)
  expect(timed.length).toBeGreaterThan(6)
  for (const [name, { is }] of timed) {
    expect([name, is.read(is.parse?.('7'))]).toEqual([name, is.unit === 'seconds' ? 7 : 7000])
    expect([name, is.read(is.parse?.('2500ms'))]).toEqual([name, is.unit === 'seconds' ? 2.5 : 2500])
  }
  const others = rows.filter(([name, { is }]) => !is.unit && /timeout|delay|every|idle/i.test(name))
  expect(others).toEqual([])
})

test('settled options stay the same when they are settled again', () => {
  const once = settle(serveTable, {
    public: true,
    resetEvery: '1h',
    allowHost: 'a.test, b.test',
    assume: ['events=none']
  })
  expect(once).toMatchObject({ resetEvery: 3_600_000, allowHost: ['a.test', 'b.test'] })
  expect(settle(serveTable, once)).toEqual(once)
})

test.each([
  ['now', '2026-02-30', 'an ISO 8601 time, such as 2026-03-02T10:00:00Z'],
  ['now', '2026-02-30T10:00:00Z', 'an ISO 8601 time'],
  ['now', 'tomorrow', 'an ISO 8601 time'],
  ['corsOrigin', 'foo', '*, or origins as browsers send them, such as http://localhost:5173'],
  ['corsOrigin', 'https://app.example/', '*, or origins'],
  ['corsOrigin', ['*', 'https://App.example'], '*, or origins'],
  ['allowHost', 'http://x', '*, or names of hosts, such as mock.example'],
  ['allowHost', 'mock.example:4010', '*, or names of hosts'],
  ['sandboxIdle', 'soon', 'a number from 0. It may have a unit, such as "2h", "30s" or "500ms"'],
  ['resetEvery', '36501d', 'a duration above 0, and up to 36500d'],
  ['lease', '25d', 'a duration from 100 ms, and up to 1d'],
  ['maxUploadBytes', '16 parsecs', 'a number from 1, or one with KiB, MiB or GiB, such as 16MiB']
])('%s refuses %j and says what a good value looks like', (name, value, wanted) => {
  expect(() => settle(serveTable, { [name]: value })).toThrow(`${name} is ${value}: give ${wanted}`)
})

test.each([
  ['now', '2026-02-28', '2026-02-28T00:00:00.000Z'],
  [
    'corsOrigin',
    'https://app.example:8443, capacitor://localhost',
    ['https://app.example:8443', 'capacitor://localhost']
  ],
  ['corsOrigin', '', []],
  ['allowHost', 'mock.example,*', ['mock.example', '*']],
  ['maxUploadBytes', '1.5 KiB', 1536],
  ['maxUploadBytes', '16mib', 16 * 1024 * 1024],
  ['maxUploadBytes', '4096', 4096]
])('%s takes %j', (name, value, expected) => {
  expect(settle(serveTable, { [name]: value })).toMatchObject({ [name]: expected })
})

test.each(rows.filter(([, { is }]) => is.placeholder === 'bytes'))(
  'the displayed default of %s is a valid value',
  (_, option) => {
    expect(option.is.read(shown(option, option.default))).toBe(option.default)
  }
)

test('the value of a secret option is in no message', () => {
  expect(() => settle(serveTable, { controlToken: 'to ken' })).toThrow(
    /^controlToken is not a bearer token: give letters/
  )
})

const table = {
  with: {
    is: several('path', ','),
    default: [],
    help: 'adds endpoints of your own; repeatable: [Own endpoints](/contracts/README.md#own)'
  }
} as const satisfies Table
const read = async (args: string[]) => {
  const command = addOptions(new Command().exitOverride(), table).action(() => {})
  command.hook('preAction', () => readOptions(command, [command], undefined))
  return (await command.parseAsync(args, { from: 'user' })).opts()
}

test('an option that is added to a table is read from the command line, once for each value', async () => {
  expect(settle(table, await read(['--with', 'one', '--with', 'two']))).toEqual({ with: ['one', 'two'] })
  expect(settle(table, await read([]))).toEqual({ with: [] })
})

test('an option that is added to a table is read from the environment', async () => {
  process.env.KCM_WITH = 'one,two'
  expect(settle(table, await read([]))).toEqual({ with: ['one', 'two'] })
  delete process.env.KCM_WITH
})

test('KCM_WITH may have several paths, separated by commas, and one path may contain a comma', async () => {
  const command = addOptions(new Command().exitOverride(), { with: serveTable.with }).action(() => {})
  command.hook('preAction', () => readOptions(command, [command], undefined))
  const folder = join(mkdtempSync(join(tmpdir(), 'kcm-')), 'a,b')
  mkdirSync(folder)
  for (const [text, paths] of [
    ['one,two', ['one', 'two']],
    [folder, [folder]]
  ] as const) {
    process.env.KCM_WITH = text
    expect((await command.parseAsync([], { from: 'user' })).opts()).toMatchObject({ with: paths })
  }
  delete process.env.KCM_WITH
})

test('an option that is added to a table is in the help, in the table of the README and in the declarations', () => {
  expect(addOptions(new Command(), table).helpInformation()).toContain('--with <path>')
  expect(optionsTable(table)).toContain('| `--with <path>` |  | adds endpoints of your own; repeatable: [Own')
  expect(printInterface('Given', 'What is given.', table)).toContain(
    '  /** Adds endpoints of your own; repeatable. Default: none. */\n  with?: readonly string[]\n'
  )
})
