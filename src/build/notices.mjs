import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as esbuild from 'esbuild'

/** The folders of the packages whose code is in a bundle. */
const folders = new Set()

/** Builds as esbuild does, and notes the packages whose code is in the bundles. */
export async function build(options) {
  const result = await esbuild.build({ ...options, metafile: true })
  for (const { inputs } of Object.values(result.metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path) ?? []
      if (folder && bytesInOutput > 0) folders.add(folder)
    }
  }
  return result
}

/** Writes the licences of the packages whose code is in the bundles. */
export function writeNotices(file) {
  const notices = [...folders].map(noticeOf).sort()
  writeFileSync(file, `This package includes code of the packages below.\n\n${notices.join('\n')}`)
}

function noticeOf(folder) {
  const { name, version, license, licenses } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  if (texts.length === 0) throw new Error(`${name} has no text of its licence.`)
  return `${name} ${version} (${license ?? licenses[0].type})\n\n${texts.join('\n\n')}\n\n${'-'.repeat(80)}\n`
}
