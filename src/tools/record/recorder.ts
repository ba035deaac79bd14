import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contract } from '../../engine/contract/contract.js'
import { type JsonObject, shown } from '../../engine/contract/load.js'
import { responseOf } from '../../engine/contract/outcomes.js'
import { Invalid } from '../../engine/contract/pydantic/explain.js'
import { readCollections } from '../../engine/control/state/check-rows.js'
import { timestamp } from '../../engine/sandbox/clock.js'
import { atOnce } from '../../engine/store/steps.js'
import { count } from '../texts.js'
import { Book, type Recording, recordingOf } from './book.js'
import { Originals, Privacy, type PrivateOptions } from './private.js'
import { completeRows, type Making } from './rows.js'
import { type Call, callOf, type Traffic, textsIn } from './traffic.js'

export interface RecordOptions extends Making, PrivateOptions {
  folder: string
  /** Replaces the file of an earlier run. */
  force: boolean
  recording?: Recording | undefined
}

/** What was written. */
export interface Written {
  file: string
  calls: number
  rows: number
  /** What contradicts a rule or a reference, and what is only referred to. */
  notes: string[]
}

/** Turns traffic into a fixture set. */
export interface Recorder {
  contract: Contract
  add(traffic: Traffic): void
  /** Writes what was added so far. Throws an Error, and changes no file, if a private text would be in it. */
  write(): Written
}

/** Throws an Error if the folder has a set already, or if a secret is to be kept. */
export function createRecorder(options: RecordOptions): Recorder {
  const { contract, folder } = options
  const recording = recordingOf(contract, options.recording)
  const file = join(folder, 'fixtures.json')
  if (existsSync(file) && !options.force) throw new Error(`${shown(file)} exists: give --force to replace it.`)
  const book = new Book(contract)
  const [originals, secrets] = [new Originals(), new Originals()]
  new Privacy(options, originals, secrets)
  let calls = 0
  let described = 0
  let unreadable = 0

  /** What a call says, which must not be in the result. */
  const remember = (call: Call, { headers, user }: Traffic) => {
    const { body, reply, query, path } = call
    originals.addAll(body)
    originals.addAll(reply)
    for (const it of [...query.values(), ...Object.values(path)]) originals.add(it)
    const secretHeaders = Object.entries(headers).filter(([name]) => /authorization|cookie|token|key|secret/.test(name))
    const sent = [call.caller === user ? '' : call.caller, ...secretHeaders.map(([, value]) => String(value))]
    for (const it of sent.flatMap((text) => text.split(/[;=\s]+/)))
      if (!/^(bearer|basic|token)?$/i.test(it) && !contract.api.users.common.includes(it)) secrets.add(it)
    const redacted = contract.redactionOf(call.operation)
    if (!redacted) return
    const open = new Set([...textsIn(redacted.request(body)), ...textsIn(redacted.reply(reply))].map(([text]) => text))
    for (const [text] of [...textsIn(body), ...textsIn(reply)]) if (!open.has(text)) secrets.add(text)
  }

  return {
    contract,
    add(traffic) {
      const call = callOf(contract, traffic, calls + 1)
      if (!call) return
      calls++
      const { reply, operation } = call
      const isDescribed = call.status < 300 && responseOf(operation, call.status)?.schema
      if (isDescribed) described++
      if (isDescribed && reply === undefined) unreadable++
      remember(call, traffic)
      book.read(call, recording)
    },
    write() {
      if (calls === 0) throw new Error('no call of the contract was made: nothing is written.')
      if (unreadable === described && unreadable > 0)
        throw new Error(
          'no answer has a body that can be read: nothing is written. Export the archive with its contents.'
        )
      const privacy = new Privacy(options, originals, secrets)
      privacy.learnKeys(book)
      const { rows, completed } = completeRows(book, options, privacy, recording)
      const text = `${JSON.stringify({ now: timestamp(book.now), collections: rows }, null, 2)}\n`
      mkdirSync(folder, { recursive: true })
      const draft = `${file}.${process.pid}`
      try {
        writeFileSync(draft, text)
        const { collections } = JSON.parse(readFileSync(draft, 'utf8'))
        const leak = privacy.leak(collections)
        if (leak !== undefined) {
          const place = leak.field === '' ? 'the name of a field' : leak.field
          throw new Error(
            `an original text of ${leak.text.length} characters would be in ${place}: nothing is written.`
          )
        }
        check(options, collections, book.now)
        renameSync(draft, file)
      } catch (error) {
        rmSync(draft, { force: true })
        throw error
      }
      const unread = unreadable > 0 ? [`${unreadable} of ${calls} answers have no body that can be read.`] : []
      const lost = [...book.lost].map(([text, times]) => `${text} (${count(times, 'call')})`)
      return {
        file: shown(file),
        calls,
        rows: [...completed.rows.values()].reduce((sum, { size }) => sum + size, 0),
        notes: [...completed.notes, ...lost, ...unread]
      }
    }
  }
}

/** Throws an Error if rows break the contract or a reference. */
function check({ contract }: RecordOptions, collections: Record<string, JsonObject[]>, now: number): void {
  try {
    atOnce(readCollections(contract, collections, now))
  } catch (error) {
    const [first] = error instanceof Invalid ? error.problems : []
    if (!first) throw error
    throw new Error(`the result breaks the contract: ${first.loc.slice(2).join('.')}: ${first.msg}`)
  }
}
