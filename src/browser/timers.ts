/** A timer that nobody waits for at the end of a process: there is no such end here. */
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

const turns: Callback[] = []
const channel = typeof MessageChannel === 'function' ? new MessageChannel() : undefined
channel?.port1.addEventListener('message', () => turns.shift()?.())
channel?.port1.start()

/** In the next turn of the event loop: a timer of 0 ms takes longer in a browser. */
export function setImmediate(callback: Callback): void {
  if (!channel) wait(callback, 0)
  else {
    turns.push(callback)
    channel.port2.postMessage(undefined)
  }
}
