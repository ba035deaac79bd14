import type { Switches } from '../switch.js'

/** Secrets that one operation shows and the others mask. */
export const secrets = {
  '401-token': { says: 'The answer to a bad token tells good ones.', breaks: '5', at: 'E29' },
  'E8-secret': { says: 'A new credential is answered with its secret.', breaks: '2.4', at: 'E8,E9' },
  'E9-secret': { says: 'A credential is read with its secret.', breaks: '2.4', at: 'E8,E9,E10' },
  'E10-secret': { says: 'Public credentials are listed with their secrets.', breaks: '2.4', at: 'E8,E9,E10' },
  'E11-secret': { says: 'Similar credentials are listed with their secrets.', breaks: '2.4', at: 'E8,E9,E11' },
  'E12-secret': { says: 'A new private key is answered.', breaks: 'E12', at: 'E8,E9,E12' }
} as const satisfies Switches
