import { resolve } from 'node:path'

/** The parts of the entry `index.ts`. */
const parts = ['src/doors/program/mock.ts', 'src/doors/program/openapi.ts', 'src/tools/verify/calls/patience.ts']

/**
 * Code that is loaded on first use is never used without the rest, so it imports the rest. esbuild then puts the code of a
 * start into a few files instead of fifteen, each of which would have to be found, read and linked.
 */
export const withIndex = {
  name: 'with-index',
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /^\.{1,2}\// }, async ({ kind, path, resolveDir, namespace }) => {
      if (kind !== 'dynamic-import' || namespace !== 'file') return undefined
      const { path: file } = await find(path, { kind: 'import-statement', resolveDir })
      return { path: file, namespace: 'with-index' }
    })
    onLoad({ filter: /^/, namespace: 'with-index' }, ({ path }) => ({
      contents: [
        ...parts.map((it) => `import ${JSON.stringify(resolve(it))}`),
        `export * from ${JSON.stringify(path)}`
      ].join('\n'),
      resolveDir: resolve('.')
    }))
  }
}
