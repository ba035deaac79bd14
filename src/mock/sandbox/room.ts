import { Refusal } from '../../contract/refusal.js'
import type { Sandbox } from './sandbox.js'

/**
 * Remembers what a sandbox holds. What it gives throws a Refusal when that has grown beyond the limit since; the caller
 * takes back what was done.
 */
export function watchRoom(sandbox: Sandbox, limit: number): () => void {
  const before = sandbox.held
  return () => {
    const { held, name } = sandbox
    // What makes it smaller is welcome, however large it is.
    if (held > limit && held > before) throw new Refusal('full-sandbox', { name, limit })
  }
}
