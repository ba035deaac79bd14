import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'

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
}
