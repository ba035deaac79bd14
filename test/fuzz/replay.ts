import { play } from './bare.js'
import type { Case, Made } from './case.js'
import { Target } from './target.js'

/** Sends one case to a new server; returns the statuses of the answers. */
export async function replay(given: Case): Promise<number[]> {
  const target = await Target.start(['--now', '2026-03-02T10:00:00.000Z'])
  try {
    const made = given.make('default')
    return await play(
      target.url,
      'bytes' in made ? { isWrong: made.isWrong, steps: [made.bytes], finally: 'end' } : made
    )
  } finally {
    if (target.stderr) console.error(target.stderr)
    await target.stop()
  }
}

export function printReplay(given: Case, statuses: number[]): void {
  console.log(`seed ${given.seed}, case ${given.number}, ${given.kind}: answered ${statuses.join(', ') || 'nothing'}`)
  console.log(command(given.make('default')))
}

/** A command line that sends the bytes of a case to a server. */
export function command(made: Made): string {
  const steps = 'bytes' in made ? [made.bytes] : made.steps
  const parts = steps.map((step) =>
    typeof step === 'number' ? `sleep ${step / 1000}` : step === 'answer' ? 'sleep 1' : `printf '${escaped(step)}'`
  )
  return `{ ${parts.join('; ')}; sleep 1; } | nc 127.0.0.1 4010`
}

function escaped(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[^\x20-\x7e]|[\\'%]/g, (char) => {
    if (char === '%') return '%%'
    return `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
}
