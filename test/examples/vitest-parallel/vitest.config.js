import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Runs once, before the workers.
    globalSetup: './start-mock.js',
    // Runs in every worker.
    setupFiles: './matchers.js'
  }
})
