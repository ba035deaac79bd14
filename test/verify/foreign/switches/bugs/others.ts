import type { Switches } from '../switch.js'

/** Rows of other users. */
export const others = {
  'E2-everybody': { says: 'Chat sessions of everybody are listed.', breaks: 'E2, 1', at: 'E1,E2,E4' },
  'E3-everybody': { says: 'Recent chat sessions of everybody are listed.', breaks: 'E3', at: 'E1,E3,E4' },
  'E3-query-everybody': { says: 'A query searches the chat sessions of everybody.', breaks: 'E3', at: 'E1,E3,E4' },
  'E4-others': { says: 'Anybody deletes a chat session.', breaks: '1', at: 'E1,E2,E4' },
  'E21-everybody': { says: 'Projects of everybody are listed.', breaks: '1', at: 'E21' },
  'E22-others': { says: 'The details of a project are shown to everybody.', breaks: '1', at: 'E22,E21' },
  'E23-others': { says: 'Anybody writes the instructions of a project.', breaks: '1', at: 'E21,E22,E23' },
  'E24-others-project': { says: 'Anybody links a file to a project.', breaks: '1', at: 'E21,E22,E24' },
  'E24-others-file': { says: 'The file of another user is linked.', breaks: 'E24', at: 'E21,E22,E24,E25' },
  'E25-others': { says: 'A plain user reads the file of another.', breaks: '1', at: 'E21,E22,E25' },
  'E26-others': { says: 'Anybody deletes a file.', breaks: 'E26', at: 'E21,E22,E25,E26' }
} as const satisfies Switches
