// Puts the package into the examples' node_modules, as npm packs it. Its dependencies are found further up.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const installed = join(here, 'node_modules/knowledge-chat-mock')
rmSync(installed, { recursive: true, force: true })
mkdirSync(installed, { recursive: true })
const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', installed]
const [{ filename }] = [JSON.parse(execFileSync('npm', pack, { cwd: join(here, '../..'), encoding: 'utf8' }))].flat()
const tarball = join(installed, filename)
execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
rmSync(tarball)
