import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'

type Fail = (error: Error) => void

/** Wraps a callback for node or a package, where an error would end the process. `fail` gets it instead. */
export function guarded<Callback extends (...args: never[]) => void>(
  fail: (error: Error, ...args: Parameters<Callback>) => void,
  callback: Callback
): (...args: Parameters<Callback>) => void {
  return function guarded(...args) {
    try {
      callback(...args)
    } catch (error) {
      fail(error as Error, ...args)
    }
  }
}

/** Wraps a callback for one connection. If it fails, the connection ends. */
export function onSocket<Callback extends (...args: never[]) => void>(
  socket: Duplex,
  callback: Callback
): (...args: Parameters<Callback>) => void {
  return guarded(() => void socket.destroy(), callback)
}

/** Runs `work` without waiting for it. `fail` gets its error, including that of a promise. */
export function contain(fail: Fail, work: () => unknown): void {
  try {
    const done = work()
    if (done instanceof Promise) done.catch(fail)
  } catch (error) {
    fail(error as Error)
  }
}

/** Ignores 'error' events, which end a process that does not listen. 'close' or another listener reports each. */
export function hush(...emitters: EventEmitter[]): void {
  for (const emitter of emitters) emitter.on('error', ignore)
}

function ignore(): void {}
