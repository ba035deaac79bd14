import { AsyncLocalStorage } from 'node:async_hooks'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const { TMPDIR } = process.env
const temporary = tmpdir()

/** Test files run in the global scope of their worker. Their temporary folders are deleted when they end. */
export default class {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  #exit = process.exit
  #folder = mkdtempSync(join(temporary, 'kcm-test-'))

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
  }

  setup() {
    // Node has the source maps.
    Error.prepareStackTrace = undefined
    // Tests start processes of other users.
    chmodSync(this.#folder, 0o1777)
    process.env.TMPDIR = this.#folder
  }

  teardown() {
    this.fakeTimersModern.dispose()
    process.exit = this.#exit
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
    for (const storage of storages) storage.disable()
    storages.clear()
  }

  getVmContext() {}
}
