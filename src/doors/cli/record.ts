import { Command } from 'commander'
import { recording } from '../../apis/knowledge-chat/scenes/recording.js'
import { readJson } from '../../engine/contract/load.js'
import { createRecorder, type Recorder, type Written } from '../../tools/record/recorder.js'
import { makingOf } from '../../tools/record/rows.js'
import { readArchive } from '../../tools/record/traffic.js'
import { addOptions } from '../options/command-line.js'
import { flag, text, texts } from '../options/kinds.js'
import { apiOption, definitionsTable, type MockOptions, startTable } from '../options/mock-table.js'
import { pick, type Settled, type Table } from '../options/option.js'
import { createMock } from '../program/mock.js'

/** What `record` and `proxy --record` have in common. */
export const keepTable = {
  keep: {
    is: texts('fields'),
    default: [],
    help: 'fields of a recording that stay as they are, such as `email,projects.name`; never secrets'
  },
  force: { is: flag, default: false, help: 'replaces the fixtures.json of an earlier recording' }
} as const satisfies Table

export const recordTable = {
  origin: {
    is: text('url'),
    otherwise: 'the host with most calls of the contract',
    help: 'the address of the service'
  },
  ...keepTable,
  seed: { ...startTable.seed, help: 'the same seed gives the same replacements' },
  ...definitionsTable,
  api: { ...apiOption, help: 'the API of the service: an OpenAPI document, or a folder with one' }
} as const satisfies Table

/** `record <file.har> <folder>`: exits with 0, or with 2 if nothing was written. */
export function recordCommand(): Command {
  return addOptions(new Command('record'), recordTable)
    .description('turn an HTTP Archive into a fixture set, without anything private')
    .argument('<file.har>', 'an HTTP Archive, such as a browser exports')
    .argument('<folder>', 'where to write fixtures.json')
    .action(async (file: string, folder: string, { origin, ...options }: Settled<typeof recordTable>) => {
      const recorder = await recorderFor(folder, options)
      for (const it of readArchive(recorder.contract, readJson(file), origin)) recorder.add(it)
      process.stdout.write(summaryOf(recorder.write()))
    })
}

type RecordingOptions = Partial<Settled<typeof keepTable>> & MockOptions

export async function recorderFor(folder: string, options: RecordingOptions): Promise<Recorder> {
  const { keep = [], force = false, seed = 1, api } = options
  const mock = createMock({ ...pick(definitionsTable, options), fixtures: 'empty', seed })
  const making = makingOf(mock.edition, seed)
  await mock.close()
  return createRecorder({ ...making, recording: api === undefined ? recording : undefined, folder, keep, force })
}

export function summaryOf({ file, calls, rows, notes }: Written): string {
  const end = `${file}: ${rows} rows of ${calls} calls. Start a mock with --fixtures ${file}`
  return [...notes, end].map((it) => `${it}\n`).join('')
}
