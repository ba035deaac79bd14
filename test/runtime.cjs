const { register } = require('node:module')
const { pathToFileURL } = require('node:url')
const { default: Runtime } = require('jest-runtime')

// Test files and the code that they test are plain modules of Node: a worker loads and optimizes `src` once for all of its
// test files. Jest's own runtime gives each file a copy, in a context where code is slower.
register('./loader.mjs', pathToFileURL(__filename))
process.setSourceMapsEnabled(true)

let files = 0

module.exports = class extends Runtime {
  /** Jest's own code, anew for each test file. */
  requireInternalModule(path) {
    delete require.cache[path]
    return require(path)
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  unstable_importModule(path) {
    globalThis.jest = this.requireModuleOrMock(path, '@jest/globals').jest
    return import(`${pathToFileURL(path)}?${++files}`)
  }
}
