import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask, firstSuccess } from './ask.mjs'
import { freePort, startNode, stop } from './processes.mjs'
import { servers } from './servers.mjs'
import { isRight, workloads } from './workloads.mjs'

const main = join(dirname(fileURLToPath(import.meta.url)), '../../dist/main.js')

/** Writes what the other servers are made of: our answers, so that all send the same bytes, and our OpenAPI document. */
export async function capture(folder) {
  const mock = servers.find(({ id }) => id === 'mock')
  const port = await freePort()
  const child = startNode(mock.command({ port, folder }))
  await firstSuccess(child, port, workloads[0], performance.now())
  const answers = {}
  // Reads first: they show the state that a start has.
  for (const workload of workloads.toSorted((a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'))) {
    const { status, text } = await ask(port, workload)
    if (!isRight(workload, status)) throw new Error(`${workload.title}: the mock answers ${status} ${text}`)
    answers[workload.id] = JSON.parse(text)
  }
  await stop(child)
  writeFileSync(join(folder, 'answers.json'), JSON.stringify({ answers }))
  await captureDocument(folder)
}

/** Writes our OpenAPI document. */
export async function captureDocument(folder) {
  writeFileSync(join(folder, 'openapi.json'), await output([main, 'openapi']))
}

async function output(args) {
  const child = startNode(args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  if ((await child.ended) !== 0) throw new Error(`${args.join(' ')} failed`)
  return text
}
