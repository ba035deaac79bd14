import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'

/** The contract that cases are made from. */
export const ledger = readLedger()
export const contract = createContract(readDocuments(), defaultChoices(ledger))
