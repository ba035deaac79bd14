import type { IncomingMessage } from 'node:http'
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { largest } from '../../serve/body/copy.js'
import { guarded } from '../../serve/message/contain.js'
import type { AnswerHead } from './upstream.js'

/** Milliseconds to wait for an answer of unknown length, so that its violations fit into its headers. */
const patience = 100

/**
 * The whole body of an answer, or the answer itself as a stream if it is large, endless, or of unknown length and not
 * complete soon. `isStrict` always waits, because only a complete answer can be rejected.
 */
export function received(
  { message: answer, explain }: AnswerHead,
  isStrict: boolean
): Promise<Buffer | IncomingMessage> {
  const { headers } = answer
  if (/^text\/event-stream/i.test(headers['content-type'] ?? '')) return Promise.resolve(answer)
  if (Number(headers['content-length'] ?? 0) > largest) return Promise.resolve(answer)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let timer: NodeJS.Timeout | undefined
    let soon: NodeJS.Immediate | undefined
    const stop = () => {
      clearTimeout(timer)
      clearImmediate(soon)
      answer.off('data', add).off('end', whole).off('error', failed).off('close', cut)
    }
    const add = guarded(reject, (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > largest) passOn()
    })
    const whole = guarded(reject, () => {
      stop()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    const failed = guarded(reject, (error: unknown) => {
      stop()
      reject(explain(error))
    })
    const cut = guarded(reject, () => failed(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })))
    const passOn = () => {
      stop()
      answer.pause()
      for (const chunk of chunks.reverse()) answer.unshift(chunk)
      resolve(answer)
    }
    answer.on('data', add).once('end', whole).once('error', failed).once('close', cut)
    if (headers['content-length'] === undefined && !isStrict) {
      // Data that arrived while the process was busy is read first.
      const passOnNow = guarded(reject, () => void (!answer.readableEnded && !answer.destroyed && passOn()))
      const passOnSoon = guarded(reject, () => {
        soon = setImmediate(passOnNow)
      })
      timer = setTimeout(passOnSoon, patience)
    }
  })
}
