import type { Switches } from '../switch.js'

/** Requests that come at the same time. Each waits between what it checks and what it writes. */
export const races = {
  'race-E1': { says: 'Of chat sessions made at the same time only one is kept.', breaks: 'E1', at: 'E1,E2,E4' },
  'race-E1-id': { says: 'Chat sessions made at the same time share an id.', breaks: 'E1', at: 'E1,E2,E4' },
  'race-E4': { says: 'Of chat sessions deleted at the same time only one is gone.', breaks: 'E4', at: 'E1,E2,E4' },
  'race-E6': { says: 'Of changes to several fields at the same time one is lost.', breaks: 'E6', at: 'E5,E6' },
  'race-E8': { says: 'Credentials made at the same time share an id.', breaks: 'E8', at: 'E8,E9,E10' },
  'race-E13': { says: 'Links made at the same time list a credential twice.', breaks: 'E13', at: 'E8,E13,E14,E15' },
  'race-E17': { says: 'Uploads at the same time share a path.', breaks: 'E17', at: 'E17' },
  'race-E18': { says: 'Requests at the same time get the pages of one of them.', breaks: 'E18', at: 'E18' },
  'race-E19': { says: 'Requests at the same time get the methods of one of them.', breaks: 'E19', at: 'E19' },
  'race-E23': { says: 'Writers of instructions at the same time get those of another.', breaks: 'E23', at: 'E22,E23' },
  'race-E24': { says: 'Links made at the same time list a file twice.', breaks: '3.3', at: 'E22,E24' },
  'race-E24-fails': { says: 'Of links made at the same time all but one fail with 500.', breaks: '3.3', at: 'E22,E24' },
  'race-user': {
    says: 'Requests at the same time are all answered for the user of the last.',
    breaks: '5',
    at: 'E2,E29'
  }
} as const satisfies Switches
