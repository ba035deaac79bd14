// Puts the package into the examples' node_modules, as npm packs it. Its dependencies are found further up.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
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

// Its command, as npm links it.
const command = join(here, 'node_modules/.bin/knowledge-chat-mock')
rmSync(command, { force: true })
symlinkSync('../knowledge-chat-mock/dist/main.js', command)
chmodSync(command, 0o755)
