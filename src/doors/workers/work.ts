import type { Socket } from 'node:net'
import type { ServerOptions } from '../options/table.js'
import { type OpenServer, startMock } from '../program/server.js'
import { joinWorkers } from './join.js'
import { type BeginMessage, type ToPrimary, type ToWorker, workerVariable } from './messages.js'

export type MessageOf<Op extends ToWorker['op']> = Extract<ToWorker, { op: Op }>

/** What a worker does with what the primary says. */
export interface MessageHandlers {
  answer: (message: MessageOf<'answer'>) => void
  there: (message: MessageOf<'there'>) => void
  connection: (message: MessageOf<'connection'>, socket: Socket | undefined) => void
  end: () => void
}

/** Serves a part of the sandboxes for a primary process. Ends with it. */
export async function work(given: ServerOptions): Promise<void> {
  // What it starts itself is no worker.
  delete process.env[workerVariable]
  process.once('disconnect', () => process.exit(1))
  // The primary decides. These reach all processes of a terminal, or of a service.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {})
  const { portFile: _, ...options } = given
  const hearing: MessageHandlers = { answer() {}, there() {}, connection() {}, end() {} }
  let starting: Promise<OpenServer> | undefined

  const begin = ({ part, cookieSecret, ...team }: BeginMessage) => {
    const own = {
      ...options,
      cookieSecret: options.cookieSecret ?? cookieSecret,
      data: part ?? options.data,
      shutdownDelay: 0
    }
    starting = startMock(own, (settled, state) => joinWorkers(team, settled, state, hearing))
    starting.catch((error: Error) => {
      const message = (error.message ?? String(error)) as string
      process.send?.({ op: 'failed', message } satisfies ToPrimary, undefined, undefined, () => process.exit(2))
    })
  }
  process.on('message', (message: ToWorker, socket: Socket | undefined) => {
    switch (message.op) {
      case 'begin':
        begin(message)
        break
      case 'look':
        say({ op: 'alive' })
        break
      case 'leave':
        void starting?.then((mock) => mock.leave())
        break
      case 'finish':
        void starting?.then((mock) => mock.close()).then(() => process.exit(0))
        break
      case 'end':
        hearing.end()
        break
      case 'answer':
        hearing.answer(message)
        break
      case 'there':
        hearing.there(message)
        break
      case 'connection':
        hearing.connection(message, socket)
        break
    }
  })
  say({ op: 'hello' })
}

/** To the primary. */
export function say(message: ToPrimary): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
