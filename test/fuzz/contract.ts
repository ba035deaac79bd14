import { createContract } from '../../src/contract/contract.js'
import { readDocuments } from '../../src/contract/load.js'
import { defaultChoices, readLedger } from '../../src/mock/assumptions.js'

/** The contract that cases are made from. */
export const ledger = readLedger()
export const contract = createContract(readDocuments(), defaultChoices(ledger))
