import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSite } from '../../src/doors/site/write.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-site-'))

test('a site is never written without a folder, into a file, or into the application that it copies', async () => {
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
  for (const [place, message] of refused) {
    await expect(writeSite(place, { app, base: '/', mock: {} })).rejects.toThrow(message)
  }
  expect([readdirSync(process.cwd()), readdirSync(app)]).toEqual([before, ['index.html']])

  const place = join(folder, 'app-demo')
  await writeSite(place, { app, base: '/', mock: {} })
  expect(existsSync(join(place, 'mock-worker.js'))).toBe(true)
})

test('a project folder is refused in place of a built application, because its settings would be public', async () => {
  const project = join(folder, 'project')
  mkdirSync(project)
  for (const name of ['index.html', 'package.json', '.env']) writeFileSync(join(project, name), '{}')
  const place = join(folder, 'project-demo')
  await expect(writeSite(place, { app: project, base: '/', mock: {} })).rejects.toThrow('is a project')
  expect(existsSync(place)).toBe(false)
})

test('a site that is written again has no modules of the previous one', async () => {
  const own = join(folder, 'own')
  mkdirSync(own)
  const paths = { '/notes': { get: { responses: { 200: { description: 'The notes' } } } } }
  const document = { openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths }
  writeFileSync(join(own, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(own, 'rules.mjs'), 'export default {}')
  const place = join(folder, 'anew')
  await writeSite(place, { base: '/', mock: { with: [own] } })
  expect(readdirSync(join(place, 'mock'))).toContain('own')
  await writeSite(place, { base: '/', mock: {} })
  expect(readdirSync(join(place, 'mock'))).not.toContain('own')
})
