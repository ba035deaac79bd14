#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { assumptionsCommand } from './commands/assumptions.js'
import { compareCommand } from './commands/compare.js'
import { openapiCommand } from './commands/openapi.js'
import { serveCommand } from './commands/serve.js'
import { verifyCommand } from './commands/verify.js'
import { packageRoot } from './contract/load.js'

const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }

const program = new Command('knowledge-chat-mock')
  .description('Mock and contract-test server for the Knowledge Chat Platform Management API')
  .version(version)
  .showHelpAfterError('(see --help)')
  .configureHelp({ sortOptions: false, showGlobalOptions: true })

for (const command of [serveCommand(), verifyCommand(), openapiCommand(), assumptionsCommand(), compareCommand()]) {
  // Errors of a command end like those of the program: by the exit codes of the surface.
  program.addCommand(command.copyInheritedSettings(program).exitOverride(), { isDefault: command.name() === 'serve' })
}
program.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
