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
  return new Promise<void>((resolve, reject) => {
    let isOver = false
    const fail = (error: unknown) => {
      if (isOver) return
      isOver = true
      share.release()
      reject(error)
    }
    const tooMuch = share.refusalOf(Number(headers['content-length'] ?? 0))
    if (tooMuch) return fail(tooMuch)
    body.read({
      data: guarded(fail, (chunk: Uint8Array) => {
        if (isOver) return
        const refusal = share.take(chunk.length)
        if (refusal) throw refusal
        take(chunk)
      }),
      end() {
        isOver = true
        resolve()
      },
      fail: (reason) => fail(new Refusal('unreadable-body', { detail: `The body could not be read: ${reason}.` }))
    })
  })
}
