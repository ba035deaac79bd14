// Builds without telemetry, from any shell.
import { execFileSync } from 'node:child_process'

const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
execFileSync(process.execPath, ['../node_modules/next/dist/bin/next', 'build'], { env, stdio: 'inherit' })
