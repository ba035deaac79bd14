import { Refusal } from '../contract/message/refusal.js'
import type { Sandbox } from './sandbox.js'

/**
 * Remembers the size of a sandbox. The returned function throws a Refusal if it has grown beyond the limit since then.
 * The caller then undoes the changes.
 */
export function watchRoom(sandbox: Sandbox, limit: number): () => void {
  const before = sandbox.held
  return () => {
    const { held, name } = sandbox
    // A change that makes it smaller is always allowed.
    if (held > limit && held > before) throw new Refusal('full-sandbox', { name, limit })
  }
}
