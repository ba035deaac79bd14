#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import { adoptCommand } from './doors/cli/adopt.js'
import { assumptionsCommand } from './doors/cli/assumptions.js'
import { compareCommand } from './doors/cli/compare.js'
import { execCommand } from './doors/cli/exec.js'
import { initCommand } from './doors/cli/init.js'
import { mcpCommand } from './doors/cli/mcp.js'
import { openapiCommand } from './doors/cli/openapi.js'
import { proxyCommand } from './doors/cli/proxy.js'
import { recordCommand } from './doors/cli/record.js'
import { scenarioCommand } from './doors/cli/scenario.js'
import { serveCommand } from './doors/cli/serve.js'
import { staticCommand } from './doors/cli/static.js'
import { verifyCommand } from './doors/cli/verify.js'
import { readOptions } from './doors/options/command-line.js'
import { packageVersion } from './engine/contract/load.js'
import { didYouMean } from './engine/contract/nearest.js'

const program = new Command('knowledge-chat-mock')
  .description('Mock and contract-test server for the Knowledge Chat Platform Management API')
  .version(packageVersion())
  .addOption(
    new Option(
      '--config <file>',
      'options of all commands: .json or a module such as .js or .ts (default: knowledge-chat-mock.config.* in the working directory)'
    ).env('KCM_CONFIG')
  )
  .showHelpAfterError('(see --help)')
  .configureHelp({ sortOptions: false, showGlobalOptions: true })
  .addHelpText('after', '\nWithout a command it runs serve. Options of serve: knowledge-chat-mock serve --help')

for (const command of [
  serveCommand(),
  execCommand(),
  adoptCommand(),
  initCommand(),
  verifyCommand(),
  proxyCommand(),
  recordCommand(),
  openapiCommand(),
  assumptionsCommand(),
  compareCommand(),
  scenarioCommand(),
  staticCommand(),
  mcpCommand()
]) {
  // Commands use the same exit codes as the program.
  program.addCommand(command.copyInheritedSettings(program).exitOverride(), { isDefault: command.name() === 'serve' })
  for (const inner of command.commands) inner.copyInheritedSettings(program).exitOverride()
}
program.exitOverride().hook('preAction', (_, command) => readOptions(command, program.commands, program.opts().config))

// The reader may close the pipe early, as in `openapi | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

try {
  refuseUnknown(process.argv[2])
  await program.parseAsync()
} catch (error) {
  // Commander exits with 1 for a wrong option.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 1 ? 2 : error.exitCode
  else {
    console.error(`error: ${(error as Error).message}`)
    process.exitCode = 2
  }
}

/** Without this, an unknown command would be passed to `serve` as an argument. */
function refuseUnknown(first: string | undefined): void {
  const names = ['help', ...program.commands.map((command) => command.name())]
  if (first === undefined || first.startsWith('-') || names.includes(first)) return
  program.error(`error: there is no command "${first}". ${didYouMean(first, names)}`)
}
