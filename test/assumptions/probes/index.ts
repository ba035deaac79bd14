import type { Probe } from '../probe.js'
import { authProbes } from './auth.js'
import { chatProbes } from './chat.js'
import { connectorProbes } from './connectors.js'
import { credentialProbes } from './credentials.js'
import { errorProbes } from './errors.js'
import { fileProbes } from './files.js'
import { pairingProbes } from './pairing.js'
import { personaProbes } from './personas.js'
import { requestProbes } from './requests.js'
import { toolProbes } from './tools.js'
import { userProbes } from './users.js'
import { valueProbes } from './values.js'
import { webProbes } from './web.js'

/** The probe of every entry of the ledger that has a choice. */
export const probes: Record<string, Probe> = {
  ...authProbes,
  ...errorProbes,
  ...requestProbes,
  ...valueProbes,
  ...chatProbes,
  ...personaProbes,
  ...credentialProbes,
  ...pairingProbes,
  ...connectorProbes,
  ...webProbes,
  ...toolProbes,
  ...fileProbes,
  ...userProbes
}
