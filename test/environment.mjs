import { AsyncLocalStorage } from 'node:async_hooks'
import v8 from 'node:v8'
import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'

// Each test file has its own copy of the code. Most of it never runs long enough to be worth optimizing as soon as usual.
v8.setFlagsFromString('--interrupt-budget=350000')

// Jest creates a storage per test file and never removes it. Each promise is then copied into all of them, so that a worker
// becomes slower with every file.
const storages = new Set()
const { run } = AsyncLocalStorage.prototype
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this)
  return run.apply(this, args)
}

/**
 * Jest's own environment, but with a plain global object. Jest's has a trap that is called each time that code says `Object`
 * or `JSON`, which makes that a hundred times as slow.
 */
export default class extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY)
    try {
      super(config, context)
    } finally {
      vm.createContext = createContext
    }
  }

  async teardown() {
    await super.teardown()
    for (const storage of storages) storage.disable()
    storages.clear()
  }
}
