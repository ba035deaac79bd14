import { AsyncLocalStorage } from 'node:async_hooks'
import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

// Jest creates a storage per test file and never removes it. Each promise is then copied into all of them, so that a worker
// becomes slower with every file.
const storages = new Set()
const { run } = AsyncLocalStorage.prototype
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this)
  return run.apply(this, args)
}

/** Test files run in the global scope of their worker. */
export default class {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  #exit = process.exit

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
  }

  setup() {
    // Node has the source maps.
    Error.prepareStackTrace = undefined
  }

  teardown() {
    this.fakeTimersModern.dispose()
    process.exit = this.#exit
    for (const storage of storages) storage.disable()
    storages.clear()
  }

  getVmContext() {}
}
