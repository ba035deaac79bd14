import { SandboxMoved } from '../../src/engine/sandbox/sandboxes.js'
import { readEngine } from '../../src/redis/client/address.js'
import { clientFor } from '../../src/redis/client/clients.js'
import { Engine } from '../../src/redis/client/engine.js'
import { Fenced, NotDone } from '../../src/redis/client/errors.js'
import { ReplicaLog } from '../../src/redis/replica-log.js'
import { RealEngine } from './engine.js'

const real = new RealEngine()
afterAll(() => real.end())

/** How many commands of a name the engine has run. */
const ran = async (name: string) =>
  Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(await real.ask('INFO', 'commandstats'))?.[1] ?? 0)

test('appends of one turn are sent in one command, and a refused one affects no other', async () => {
  await real.start()
  const address = readEngine(real.url)
  const open = (idle: number) =>
    Engine.connect(clientFor(address), address, { patience: 3000, copies: 0, idle, say: () => {} })
  const engine = await open(0)
  const add = (name: string, last: string, id: string, to = engine) =>
    to.append({ name, last, id, field: 'r', value: `${name} ${id}` })
  // The engine has to load the script first.
  await Promise.all(['a', 'b', 'c'].map((name) => add(name, '', '1-1')))
  await real.ask('SET', engine.logOf('text'), 'no stream')
  const before = await ran('evalsha')

  const results = await Promise.allSettled([
    add('a', '1-1', '1-2'),
    add('b', '1-0', '1-2'),
    add('text', '1-1', '1-2'),
    add('c', '1-1', '1-2')
  ])
  expect(await ran('evalsha')).toBe(before + 1)
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  const [, fenced, broken] = results as PromiseRejectedResult[]
  expect(fenced?.reason).toBeInstanceOf(Fenced)
  expect(fenced?.reason.last).toBe('1-1')
  expect(broken?.reason).toBeInstanceOf(NotDone)
  const lengths = await Promise.all(['a', 'b', 'c'].map((name) => real.ask('XLEN', engine.logOf(name))))
  expect(lengths).toEqual([':2\r\n', ':1\r\n', ':2\r\n'])

  const forgetful = await open(60_000)
  await add('c', '1-2', '1-3', forgetful)
  expect(await real.ask('PTTL', engine.logOf('a'))).toBe(':-1\r\n')
  expect(await real.ask('PTTL', engine.logOf('c'))).not.toBe(':-1\r\n')
  engine.close()
  forgetful.close()
})

test('changes of sandboxes are taken back if one of them lives elsewhere', async () => {
  const log = new ReplicaLog({ owned: new Map(), forget: () => {} } as never)
  const takeBack = jest.fn()
  await expect(log.append([{ op: 'drop', sandbox: 'far' }], takeBack)).rejects.toBeInstanceOf(SandboxMoved)
  expect(takeBack).toHaveBeenCalledTimes(1)
})
