import { connect } from 'node:net'
import type { Connection } from './case.js'
import { Replies } from './replies.js'

/** Milliseconds in which the server must end a connection that it should end. */
const patience = 120_000

/** Plays one connection; returns the statuses of all answers. Rejects if it does not end, or is not HTTP. */
export function play(url: string, { steps, finally: ending }: Connection): Promise<number[]> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const statuses: number[] = []
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: ending === 'wait' })
    const timer = setTimeout(() => socket.destroy(new Error(`not ended in ${patience} ms`)), patience)
    const replies = new Replies(
      () => 'GET',
      ({ status }) => statuses.push(status)
    )
    const answered = new Promise<void>((resume) => socket.once('data', () => resume()).once('close', () => resume()))
    let failure: Error | undefined
    socket.on('data', (chunk) => {
      try {
        replies.read(chunk)
      } catch (error) {
        socket.destroy(error as Error)
      }
    })
    // The server has sent everything.
    socket.on('end', () => socket.end())
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // What is still written when the server has closed is lost: both ends may do that.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') failure = error
    })
    socket.on('close', () => {
      clearTimeout(timer)
      if (failure) reject(failure)
      else resolve(statuses)
    })
    const next = async () => {
      for (const step of steps) {
        if (socket.destroyed) return
        if (step === 'answer') await answered
        else if (typeof step === 'number') await new Promise((resume) => setTimeout(resume, step))
        else await new Promise<void>((resume) => (socket.writable ? socket.write(step, () => resume()) : resume()))
      }
      if (ending === 'reset') socket.resetAndDestroy()
      else if (ending === 'end') socket.end()
    }
    socket.once('connect', () => void next())
  })
}
