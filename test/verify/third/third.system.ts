import { execFileSync } from 'node:child_process'
import { sampled } from '../../extent.js'
import { prove } from '../proof.js'
import { missed } from './missed.js'
import { program, startThird, type ThirdChoice, type ThirdSwitch } from './start.js'

/** The switches of the service, which it lists itself. */
const listed = execFileSync('python3', [program, '--list'], { encoding: 'utf8', maxBuffer: 4 * 1024 * 1024 })
const all = JSON.parse(listed) as { bugs: ThirdSwitch[]; choices: ThirdChoice[] }

prove({
  folder: 'third',
  language: 'Python',
  start: startThird,
  all,
  bugs: sampled(all.bugs, 60),
  choices: sampled(all.choices, 40),
  missed
})
