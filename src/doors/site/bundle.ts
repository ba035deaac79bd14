import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { shown } from '../../contract/load.js'

/** A module of the user's own as one ES module that needs no other. esbuild makes it of several, if it is installed. */
export async function bundled(file: string): Promise<string> {
  const text = readFileSync(file, 'utf8')
  const isWhole =
    /\.m?js$/.test(file) && /^export\b/m.test(text) && !/^import\b|\bimport\(|\brequire\(|\bfrom\s*['"]/m.test(text)
  if (isWhole) return text
  const { build } = await import('esbuild').catch(() => {
    throw new Error(`${shown(file)} is not one ES module without imports: install esbuild, which makes one of it`)
  })
  const { outputFiles } = await build({
    entryPoints: [resolve(file)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent'
  }).catch((error: Error) => {
    throw new Error(`${shown(file)} cannot run in a browser: ${error.message.split('\n').slice(0, 2).join(' ')}`)
  })
  return outputFiles[0]?.text ?? ''
}
