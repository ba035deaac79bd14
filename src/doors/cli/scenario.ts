import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { attributesOf, xml } from '../../tools/texts.js'
import { addOptions } from '../options/command-line.js'
import { text } from '../options/kinds.js'
import { definitionsTable } from '../options/mock-table.js'
import type { Settled, Table } from '../options/option.js'
import { createRunner, type ScenarioResult, shrink } from '../program/scenarios/runner.js'

export const runTable = {
  target: {
    is: text('url'),
    otherwise: 'its own mock',
    help: 'the address of a running mock to play in, such as http://127.0.0.1:4010'
  },
  sandbox: { is: text('name'), otherwise: 'default', help: 'with --target: the sandbox to play in' },
  controlToken: { is: text('token'), help: 'with --target: the token of its control API' },
  junit: { is: text('file'), help: 'write the results to this file as JUnit XML' },
  ...definitionsTable
} as const satisfies Table

type RunOptions = Settled<typeof runTable>

export const shrinkTable = {
  expect: {
    is: text('request'),
    otherwise: 'the last one that changed something',
    help: 'the request that must still be answered with its status: the number of its step, its id such as r12, or its operation'
  },
  body: { is: text('json'), help: 'a part of the body that it must still have' },
  out: { is: text('file'), otherwise: 'stdout', help: 'where the scenario goes' },
  ...definitionsTable
} as const satisfies Table

type ShrinkOptions = Settled<typeof shrinkTable>

/** `scenario run <file...>`: exits with 0 if all passed, 1 if an expectation failed, 2 if a scenario could not be played. */
export function scenarioCommand(): Command {
  const run = addOptions(new Command('run'), runTable)
    .description('play scenarios and check their expectations')
    .argument('<file...>', 'JSON or YAML files, or names such as first-day')
    .action(async (files: string[], options: RunOptions) => {
      const runner = await createRunner(options)
      const all: ScenarioResult[] = []
      for (const file of files) {
        const ran = await runner.play(file)
        all.push(ran)
        process.stdout.write(lineOf(ran))
      }
      await runner.close()
      if (options.junit !== undefined) writeFileSync(options.junit, junitOf(all))
      const outcomes = all.map(({ outcome }) => outcome)
      process.exitCode = outcomes.includes('error') ? 2 : outcomes.includes('failure') ? 1 : 0
    })
  const smaller = addOptions(new Command('shrink'), shrinkTable)
    .description('find the fewest steps of a scenario with which a request is still answered so')
    .argument('<file>', 'a JSON or YAML file, such as a capsule')
    .action(async (file: string, { out, expect: request, body, ...options }: ShrinkOptions) => {
      const runner = await createRunner(options)
      const whole = runner.read(file)
      try {
        const target = { request, body: body === undefined ? undefined : jsonOf(body) }
        const { scenario, plays } = await shrink(runner, whole, target)
        const json = `${JSON.stringify(scenario, null, 2)}\n`
        if (out === undefined) process.stdout.write(json)
        else writeFileSync(out, json)
        console.error(`${scenario.steps.length} of ${whole.steps.length} steps are left, after ${plays} plays`)
      } catch (error) {
        if ((error as Error).name !== 'StepFailure') throw error
        console.error(`error: ${(error as Error).message}`)
        process.exitCode = 1
      } finally {
        await runner.close()
      }
    })
  return new Command('scenario').description('play scenarios: situations in a file').addCommand(run).addCommand(smaller)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`body (--body) is ${text}: give JSON, such as {"detail": "Not found"}.`)
  }
}

function lineOf({ file, name, steps, outcome, detail }: ScenarioResult): string {
  const title = name === undefined || file.includes(name) ? file : `${file} (${name})`
  return outcome === 'held'
    ? `held    ${title}, ${steps} steps\n`
    : `${outcome} ${title}: ${detail}\n`.replace('error ', 'error   ')
}

function junitOf(all: ScenarioResult[]): string {
  const count = (outcome: ScenarioResult['outcome']) => all.filter((it) => it.outcome === outcome).length
  const cases = all.map(({ file, name = file, outcome, detail, milliseconds }) => {
    const start = `<testcase${attributesOf({ classname: file, name, time: (milliseconds / 1000).toFixed(3) })}`
    if (outcome === 'held') return `${start}/>`
    return `${start}><${outcome}${attributesOf({ message: detail, type: 'scenario' })}>${xml(detail)}</${outcome}></testcase>`
  })
  const attributes = {
    name: 'scenarios',
    tests: all.length,
    failures: count('failure'),
    errors: count('error'),
    time: (all.reduce((sum, it) => sum + it.milliseconds, 0) / 1000).toFixed(3)
  }
  const suite = [`<testsuite${attributesOf(attributes)}>`, ...cases, '</testsuite>']
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suite, '</testsuites>', ''].join('\n')
}
