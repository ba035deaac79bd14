import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/core'

const tests = new URL('.', import.meta.url).href
const timers = new URL('timers.cjs', import.meta.url).href

/** Finds `.ts` files under their names in `.js`. Helpers of tests are new in each test file, whose URL has a query. */
export async function resolve(specifier, context, next) {
  if (specifier === 'node:timers' && context.parentURL?.includes('/src/')) return next(timers, context)
  if (!specifier.startsWith('.')) return next(specifier, context)
  let found
  try {
    found = await next(specifier.replace(/\.js$/, '.ts'), context)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    found = await next(specifier, context)
  }
  const query = context.parentURL?.split('?')[1]
  if (query && found.url.startsWith(tests) && found.url.endsWith('.ts')) found.url += `?${query}`
  return found
}

export async function load(url, context, next) {
  if (!/\.ts(\?|$)/.test(url)) return next(url, context)
  const file = fileURLToPath(url)
  const { code } = await transform(await readFile(file, 'utf8'), {
    filename: file,
    sourceMaps: 'inline',
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' }
  })
  return { format: 'module', source: code, shortCircuit: true }
}
