import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** A small fault in the protocol. */
interface Mutant {
  name: string
  /** In src. */
  file: string
  find: string
  replace: string
  /** The deeds that reveal it. */
  deeds: string[]
}

const killed = 'a process is killed'
const stopped = 'a process hangs'

export const mutants: Mutant[] = [
  {
    name: 'renews a lapsed lease',
    file: 'redis/client/scripts.ts',
    find: `redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], ARGV[3])`,
    replace: `redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`,
    deeds: [stopped]
  },
  {
    name: 'claims without a grace',
    file: 'redis/client/process-sessions.ts',
    find: 'const grace = 0.75',
    replace: 'const grace = 0',
    deeds: ['a lease is deleted']
  },
  {
    name: 'claims without comparing',
    file: 'redis/client/scripts.ts',
    find: 'if last ~= ARGV[1] then return {last} end',
    replace: '',
    deeds: ['two processes claim a sandbox at once']
  },
  {
    name: 'appends without the predecessor',
    file: 'redis/client/scripts.ts',
    find: 'if not e.err and last ~= ARGV[at] then',
    replace: 'if false then',
    deeds: ['the engine loses the end of a log']
  },
  {
    name: 'answers before the append',
    file: 'redis/replica-log.ts',
    find: 'return only.append(this.batch(items), takeBack)',
    replace: 'return void only.append(this.batch(items), takeBack).catch(() => {})',
    deeds: [killed, 'the engine is killed', 'the engine hangs']
  },
  {
    name: 'reads during an append',
    file: 'redis/replica-log.ts',
    find: '(!underWay && lease.isGood && stream.isCopied)',
    replace: '(lease.isGood && stream.isCopied)',
    deeds: ['the engine hangs', 'the engine is killed', 'connections to the engine are cut', killed]
  },
  {
    name: 'tries again after 100-continue',
    file: 'redis/processes/forward.ts',
    find: 'if (!isSent || isSafe)',
    replace: `if (request.method !== '')`,
    deeds: ['answers between processes are lost', 'connections between processes are cut']
  },
  {
    name: 'sends a command again',
    file: 'redis/client/engine.ts',
    find: 'reject(meaningOf(error))',
    replace: `const meaning = meaningOf(error)
          if (meaning instanceof OutcomeUnknown) resolve(new Promise((next) => setTimeout(next, 100)).then(() => this.ask(...command)))
          else reject(meaning)`,
    deeds: ['answers of the engine are lost', 'connections to the engine are cut']
  },
  {
    name: 'does not carry the clock',
    file: 'redis/replica-log.ts',
    find: 'real: item.real - late',
    replace: 'real: this.of.lease.engineTime',
    deeds: [killed]
  },
  {
    name: 'loses overrides',
    file: 'redis/replica-log.ts',
    find: '(JSON.parse(value) as LogItem[]).map((item) =>',
    replace: `(JSON.parse(value) as any[]).map(({ overrides: _, ...item }: any) =>`,
    deeds: [killed]
  },
  {
    name: 'starts with other options than the others',
    file: 'redis/client/scripts.ts',
    find: 'if now and #lives > 0 then',
    replace: 'if now and #lives > 99 then',
    deeds: ['a process with another start comes']
  }
]

/** The file of a mutant with its fault. Throws an Error if its place is gone. */
export function changed(root: string, { file, find, replace }: Mutant): { path: string; contents: string } {
  const path = join(root, 'src', file)
  const source = readFileSync(path, 'utf8')
  if (source.split(find).length !== 2) throw new Error(`${file} has not got once what is changed: ${find}`)
  return { path, contents: source.replace(find, () => replace) }
}

/** Builds the command line with a mutant in it. Returns its file. */
export async function built(root: string, mutant: Mutant): Promise<string> {
  const { name } = mutant
  const { path, contents } = changed(root, mutant)
  // In dist, as the command line is: it finds other files from there.
  const outfile = join(root, 'dist/test/mutants', `${name.replaceAll(' ', '-')}.mjs`)
  await build({
    entryPoints: [join(root, 'src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
    plugins: [
      {
        name: 'mutant',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => (loaded === path ? { contents, loader: 'ts' } : undefined))
      }
    ]
  })
  return outfile
}
