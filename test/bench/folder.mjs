import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is there until this program ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
