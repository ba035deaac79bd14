import { Refusal } from '../../contract/message/refusal.js'
import { guarded } from '../message/contain.js'
import type { Request } from '../message/message.js'
import type { UploadShare } from './upload-budget.js'

/**
 * Passes each chunk of a body to `take`, and resolves at the end of the body with the result of `made`. Rejects with a Refusal
 * if the client leaves or memory runs out, and with any error that the two throw. The rest of the body is then dropped.
 */
export function receive<Made>(
  { body, headers }: Request,
  share: UploadShare,
  take: (chunk: Uint8Array) => void,
  made: () => Made | Promise<Made>
): Promise<Made> {
  return new Promise<Made>((resolve, reject) => {
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
      end: guarded(fail, () => {
        resolve(made())
        isOver = true
      }),
      fail: (reason) => fail(new Refusal('unreadable-body', { detail: `The body could not be read: ${reason}.` }))
    })
  })
}
