import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSite } from '../../src/doors/site/write.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-site-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a site is not written to no folder, into a file, or into the application that it takes', async () => {
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'index.html'), '<p>The application</p>')
  writeFileSync(join(folder, 'file'), '')
  const before = readdirSync(process.cwd())
  const refused: [string, string][] = [
    ['', 'folder is empty'],
    [join(folder, 'file'), 'is a file'],
    [app, 'is in app'],
    [join(app, 'demo'), 'is in app']
  ]
  for (const [place, told] of refused) {
    await expect(writeSite(place, { app, base: '/', mock: {} })).rejects.toThrow(told)
  }
  expect([readdirSync(process.cwd()), readdirSync(app)]).toEqual([before, ['index.html']])

  const beside = join(folder, 'app-demo')
  await writeSite(beside, { app, base: '/', mock: {} })
  expect(existsSync(join(beside, 'mock-worker.js'))).toBe(true)
})
