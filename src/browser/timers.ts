/** A timer with `unref`, which does nothing here, because there is no end of a process. */
class Timer {
  constructor(readonly id: unknown) {}

  unref(): this {
    return this
  }
}

type Callback = () => void

const { setTimeout: wait, clearTimeout: stop, setInterval: repeat, clearInterval: end } = globalThis

export function setTimeout(callback: Callback, milliseconds?: number): Timer {
  return new Timer(wait(callback, milliseconds))
}

export function clearTimeout(timer: Timer | undefined): void {
  stop(timer?.id as number)
}

export function setInterval(callback: Callback, milliseconds?: number): Timer {
  return new Timer(repeat(callback, milliseconds))
}

export function clearInterval(timer: Timer | undefined): void {
  end(timer?.id as number)
}

/** In the next turn of the event loop: a timer of 0 ms takes longer in a browser. */
export const setImmediate: (callback: Callback) => void = globalThis.setImmediate ?? byMessages()

function byMessages(): (callback: Callback) => void {
  const turns: Callback[] = []
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener('message', () => turns.shift()?.())
  port1.start()
  return (callback) => {
    turns.push(callback)
    port2.postMessage(undefined)
  }
}
