import { Refusal } from '../../contract/refusal.js'
import { guarded } from '../message/contain.js'
import type { Request } from '../message/message.js'
import type { UploadShare } from './upload-budget.js'

/**
 * Hands over a body as it comes, and resolves at its end. Rejects with a Refusal when the client goes, when there is no
 * room for it, or with what `take` throws; the rest of the body is then dropped.
 */
export function receive(
  { body, headers }: Request,
  share: UploadShare,
  take: (chunk: Uint8Array) => void
): Promise<void> {
  let isOver = false
  const received = new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => {
      isOver = true
      settle()
    }
    const fail = (error: unknown) => end(() => reject(error))
    const tooMuch = share.refusalOf(Number(headers['content-length'] ?? 0))
    if (tooMuch) return fail(tooMuch)
    body.read({
      data: guarded(fail, (chunk: Uint8Array) => {
        if (isOver) return
        const refusal = share.take(chunk.length)
        if (refusal) throw refusal
        take(chunk)
      }),
      end: guarded(fail, () => end(resolve)),
      fail: guarded(fail, (reason: string) =>
        fail(new Refusal('unreadable-body', { detail: `The body could not be read: ${reason}.` }))
      )
    })
  })
  return received.catch((error) => {
    share.release()
    throw error
  })
}
