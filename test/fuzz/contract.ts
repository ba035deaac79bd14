import { createContract } from '../../src/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/contract/ledger.js'
import { readDocuments } from '../../src/contract/load.js'

/** The contract that cases are made from. */
export const ledger = readLedger()
export const contract = createContract(readDocuments(), defaultChoices(ledger))
