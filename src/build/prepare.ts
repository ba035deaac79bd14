// Run at the end of the build: precomputes in dist/ what a start needs.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keptRows, keptSeed } from '../../fixtures/kept.js'
import { Maker } from '../../fixtures/maker.js'
import { sets } from '../../fixtures/sets.js'
import { defaultChoices, readLedger } from '../engine/contract/ledger.js'
import {
  type BuiltDocuments,
  builtControlFile,
  builtFile,
  controlDocument,
  digestOfTexts,
  readDocuments,
  readTexts
} from '../engine/contract/load.js'
import { resolve } from '../engine/contract/resolve.js'
import { assumptionsIn } from '../engine/contract/validation/cache.js'
import { atOnce } from '../engine/store/steps.js'

const raw = readDocuments()
const all = defaultChoices(readLedger())
const documents = resolve(raw, all)
const { [controlDocument]: control, ...others } = documents
const built: BuiltDocuments = {
  texts: digestOfTexts(readTexts()),
  choices: Object.fromEntries([...assumptionsIn(raw)].map((id) => [id, all[id] as string])),
  documents: others
}
mkdirSync(dirname(builtFile()), { recursive: true })
writeFileSync(builtFile(), JSON.stringify(built))
writeFileSync(builtControlFile(), JSON.stringify(control))

const now = Date.UTC(2026, 0, 1)
// The rows are created here, because seedRows would read the file of an earlier build.
const rows = keptRows(atOnce(sets.demo(new Maker(keptSeed, now))), now)
writeFileSync('dist/demo.json', JSON.stringify(rows))
