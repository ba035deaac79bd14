import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'

type Fail = (error: Error) => void

/**
 * A callback for node or for a package. Its caller catches nothing, so an error that left it would end the process: it
 * goes to `fail`.
 */
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

/** A callback on behalf of one connection, which ends where it fails. */
export function onSocket<Callback extends (...args: never[]) => void>(
  socket: Duplex,
  callback: Callback
): (...args: Parameters<Callback>) => void {
  return guarded(() => void socket.destroy(), callback)
}

/** Does what nobody waits for; `fail` gets what it throws, at once or later. */
export function contain(fail: Fail, act: () => unknown): void {
  try {
    const done = act()
    if (done instanceof Promise) done.catch(fail)
  } catch (error) {
    fail(error as Error)
  }
}

/** An 'error' event without a listener ends the process. Each of these has another that tells of the error, or a 'close'. */
export function hush(...emitters: EventEmitter[]): void {
  for (const emitter of emitters) emitter.on('error', ignore)
}

function ignore(): void {}
