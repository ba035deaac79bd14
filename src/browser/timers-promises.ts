import { setImmediate as inNextTurn } from './timers.js'

export function setImmediate(): Promise<void> {
  return new Promise((resolve) => inNextTurn(resolve))
}
