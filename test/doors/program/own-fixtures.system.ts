import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../cli.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-fixtures-'))

// Jest loads such modules in another way than Node.
test.each([
  ['with nothing', 'export default null', 'it must export an object'],
  ['that awaits', 'export default await { collections: {} }', 'it uses await outside of a function']
])('a module %s ends the command line with 2, and says why', async (_, text, message) => {
  const file = join(folder, 'odd.mjs')
  writeFileSync(file, text)
  const { code, stderr } = await run(['--port', '0', '--fixtures', file])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: fixtures \(--fixtures\) .*odd\.mjs/m)])
  expect(stderr).toContain(message)
})
