import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prove, type Service, type Switched, startProgram } from '../proof.js'
import { missed } from './missed.js'

/** A bug or a choice, as the service lists it. */
interface Listed {
  name: string
  text: string
  section: string
}

const folder = mkdtempSync(join(tmpdir(), 'kcm-fourth-'))
const program = join(folder, 'service')
execFileSync('go', ['build', '-o', program, '.'], { cwd: fileURLToPath(new URL('.', import.meta.url)) })

const printed = (option: string) => JSON.parse(execFileSync(program, [option], { encoding: 'utf8' }))
const help = printed('--help') as Omit<Service, 'url' | 'close'>

const listed = (option: string) =>
  (printed(option) as Listed[]).map(({ name, text, section }) => ({
    name,
    says: `${text}.`,
    operation: section.match(/E\d+/g)?.join(',') ?? null
  }))

async function start(switched: Switched): Promise<Service> {
  const { line, close } = await startProgram([program], switched)
  return { ...help, url: line.replace('listening on ', ''), close }
}

const all = { bugs: listed('--bugs'), choices: listed('--choices') }

prove({ folder: 'fourth', language: 'Go', start, all, ...all, missed })
