import type { Switches } from '../switch.js'

/** Writes that do not write, or that write more than they should. */
export const effects = {
  'E1-lost': { says: 'A new chat session is not kept.', breaks: 'E1', at: 'E1,E2,E3,E4' },
  'E1-twice': { says: 'A chat session is made twice.', breaks: 'E1', at: 'E1,E2,E3,E4' },
  'E1-before-check': { says: 'A chat session is made by a request that is refused.', breaks: '7.1', at: 'E1,E2,E3,E4' },
  'E1-renames': { says: 'With a new chat session the oldest one loses its name.', breaks: 'E1', at: 'E1,E2,E4' },
  'E4-kept': { says: 'A deleted chat session stays.', breaks: 'E4', at: 'E1,E2,E3,E4' },
  'E4-neighbour': { says: 'With a chat session the next older one is deleted.', breaks: 'E4', at: 'E1,E2,E3,E4' },
  'E4-all-of-agent': { says: 'With a chat session all of its agent are deleted.', breaks: 'E4', at: 'E1,E2,E3,E4' },
  'E5-counts': { says: 'To read an agent changes its priority.', breaks: 'E5', at: 'E5' },
  'E6-copies': { says: 'A change of an agent writes its description into the agent 105.', breaks: 'E6', at: 'E5,E6' },
  'E6-neighbour': { says: 'A change of an agent changes the next agent too.', breaks: 'E6', at: 'E5,E6' },
  'E6-resets': { says: 'A change of an agent empties the texts that were not sent.', breaks: 'E6', at: 'E5,E6' },
  'E6-half': { says: 'Of a change that is refused, the good fields are written.', breaks: '7.1', at: 'E5,E6' },
  'E7-kept': { says: 'A deleted agent stays.', breaks: 'E7', at: 'E5,E7' },
  'E7-neighbour': { says: 'With an agent the one before it is deleted.', breaks: 'E7', at: 'E5,E7' },
  'E7-another': { says: 'With any agent the agent 105 is deleted.', breaks: 'E7', at: 'E5,E7' },
  'E8-lost': { says: 'A new credential is not kept.', breaks: 'E8', at: 'E8,E9,E10' },
  'E8-twice': { says: 'A credential is made twice.', breaks: 'E8', at: 'E8,E9,E10,E11' },
  'E12-lost': { says: 'A new private key is answered but not kept.', breaks: 'E12', at: 'E8,E9,E12' },
  'E12-all-of-source': {
    says: 'A private key renames all credentials of its source.',
    breaks: 'E12',
    at: 'E8,E9,E10,E12'
  },
  'E12-public': {
    says: 'A private key takes the credential from the public ones.',
    breaks: 'E12',
    at: 'E8,E9,E10,E12'
  },
  'E13-lost': { says: 'A link of connector and credential is not kept.', breaks: 'E13', at: 'E8,E13,E15' },
  'E13-moves': { says: 'A link takes the credential from its other connectors.', breaks: 'E13', at: 'E8,E13,E14,E15' },
  'E13-removes': { says: 'A link takes away the first link of all.', breaks: 'E13', at: 'E8,E13,E14,E15,E16' },
  'E13-half': {
    says: 'A link of a credential that is not there is refused, and made.',
    breaks: '7',
    at: 'E8,E13,E14,E15'
  },
  'E13-unknown': { says: 'A connector that does not exist is linked.', breaks: 'E13', at: 'E8,E13,E15' },
  'E14-kept': { says: 'An unlinked credential stays linked.', breaks: 'E14', at: 'E8,E13,E14,E15' },
  'E14-all-of-connector': {
    says: 'All credentials of the connector are unlinked.',
    breaks: 'E14',
    at: 'E8,E13,E14,E15'
  },
  'E14-all-of-credential': { says: 'The credential is unlinked everywhere.', breaks: 'E14', at: 'E8,E13,E14,E15' },
  'E14-deletes': { says: 'With the link the credential is deleted.', breaks: 'E14', at: 'E8,E9,E13,E14' },
  'E15-stale': { says: 'A connector is shown as it was first read.', breaks: 'E13, E15', at: 'E8,E13,E14,E15' },
  'E20-kept': { says: 'A deleted tool stays.', breaks: 'E20', at: 'E20' },
  'E20-all': { says: 'With a tool all other tools are deleted.', breaks: 'E20', at: 'E5,E20' },
  'E23-lost': { says: 'Instructions are answered but not kept.', breaks: 'E23', at: 'E21,E22,E23' },
  'E23-all': { says: 'The instructions of all projects are written.', breaks: 'E23', at: 'E21,E22,E23' },
  'E23-empties': { says: 'With the instructions the description is emptied.', breaks: 'E23', at: 'E21,E22,E23' },
  'E24-lost': { says: 'A link of a file is answered but not kept.', breaks: 'E24', at: 'E22,E24' },
  'E24-moves': { says: 'A link takes the file from its other projects.', breaks: 'E24', at: 'E21,E22,E24' },
  'E24-twice': { says: 'A second link of the same file lists it twice.', breaks: '3.3', at: 'E22,E24' },
  'E24-copies': { says: 'A copy of the file is linked.', breaks: 'E24', at: 'E22,E24' },
  'E25-removes': { says: 'A failed file is gone once it was read.', breaks: '3.1', at: 'E22,E25' },
  'E26-kept': { says: 'A deleted file stays as it was.', breaks: 'E26', at: 'E22,E25,E26' },
  'E26-keeps-links': { says: 'A deleted file stays in its projects.', breaks: '3.2', at: 'E22,E24,E25,E26' },
  'E26-project': { says: 'With a file all files of its projects are deleted.', breaks: 'E26', at: 'E22,E24,E25,E26' },
  'E26-another': {
    says: 'With a file another one is taken from a project.',
    breaks: 'E26',
    at: 'E21,E22,E24,E25,E26'
  },
  'E27-partial': { says: 'The good addresses before a bad one are invited.', breaks: '7.2', at: 'E27' },
  'E28-kept': { says: 'A deleted user stays.', breaks: 'E28', at: 'E28' },
  'E28-plain': { says: 'With a user all other plain users are deleted.', breaks: 'E28', at: 'E28,E29' },
  'E28-caller': { says: 'The caller is deleted in place of the user.', breaks: 'E28', at: 'E28,E29' },
  'E30-kept': { says: 'A deleted limit stays.', breaks: 'E30', at: 'E30' },
  'E30-all': { says: 'With a limit all other limits are deleted.', breaks: 'E30', at: 'E30' }
} as const satisfies Switches
