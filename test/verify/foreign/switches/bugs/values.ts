import { uuid } from '../../data/seed.js'
import { type Answer, operationOf, type Switch, type Switches } from '../switch.js'

/** A value in a success, changed. */
const value = (at: string, breaks: string, says: string, change: (body: Answer['body']) => void): Switch => ({
  says,
  breaks,
  at,
  answer({ status, body }, operation) {
    if (status === 200 && operation === operationOf({ says, at })) change(body)
  }
})

/** What becomes of UTF-8 that is read as Latin-1. */
const latin = (text: string) => Buffer.from(text).toString('latin1')

/** What is read back is not what was sent. */
export const values = {
  'E5-neighbour': { says: 'The next agent is shown.', breaks: 'E5', at: 'E5' },
  'E6-echo': { says: 'A change of an agent is answered but not kept.', breaks: 'E6', at: 'E5,E6' },
  'E6-old': { says: 'A change is kept, and the agent answered as it was.', breaks: 'E6', at: 'E5,E6' },
  'E6-falsy': { says: 'False, 0 and the empty text change nothing.', breaks: 'E6', at: 'E5,E6' },
  'E6-zero': { says: '0 changes nothing.', breaks: 'E6', at: 'E5,E6' },
  'E6-empty': { says: 'The empty text changes nothing.', breaks: 'E6', at: 'E5,E6' },
  'E6-cuts': { says: 'A name is cut after 12 characters.', breaks: 'E6', at: 'E5,E6' },
  'E6-cuts-texts': { says: 'Texts of an agent are cut after 1000 characters.', breaks: 'E6', at: 'E5,E6' },
  'E6-prompts': { says: 'The two prompts are swapped.', breaks: 'E6', at: 'E5,E6' },
  'E6-starters': { says: 'Starter messages come back in reverse order.', breaks: 'E6', at: 'E5,E6' },
  'E6-image': { says: 'An image that was removed stays.', breaks: 'E6', at: 'E5,E6' },
  'E6-day': { says: 'The date of the search moves by a day.', breaks: 'E6', at: 'E5,E6' },
  'E6-offset': { says: 'The date of the search loses its offset.', breaks: 'E6', at: 'E5,E6' },
  'E6-appends': { says: 'Tools and labels are added to those that are there.', breaks: 'E6', at: 'E5,E6' },
  'E6-ascii': { says: 'Letters beyond ASCII become question marks.', breaks: 'E6', at: 'E5,E6' },
  'E8-source': { says: 'Every credential is of the source web.', breaks: 'E8', at: 'E8,E9,E11' },
  'E8-public': { says: 'Every credential is public.', breaks: 'E8', at: 'E8,E9,E10' },
  'E8-curator-default': { says: 'A credential is public for curators by default.', breaks: 'E8', at: 'E8,E9' },
  'E8-id': { says: 'The id of the answer is not that of the credential.', breaks: 'E8', at: 'E8,E9' },
  'E12-name': { says: 'The name of a private key is not taken.', breaks: 'E12', at: 'E8,E9,E12' },
  'E8-owner': { says: 'Every credential is that of the administrator.', breaks: '2.4', at: 'E8' },
  'E12-latin': value('E8,E9,E12', 'E12', 'The name of a private key is read as Latin-1.', (body) => {
    body.name = latin(body.name)
  }),
  'E12-source': { says: 'A private key makes the credential one of files.', breaks: 'E12', at: 'E8,E9,E12' },
  'E13-twice': { says: 'A second link lists the credential twice.', breaks: 'E13', at: 'E8,E13,E15' },
  'E15-everybodys': {
    says: 'A connector lists the credentials of its whole source.',
    breaks: 'E13, E15',
    at: 'E8,E13,E14,E15'
  },
  'E17-same-path': { says: 'Uploads of one name share a path.', breaks: 'E17', at: 'E17' },
  'E17-first': { says: 'Only the first of several files is taken.', breaks: 'E17', at: 'E17' },
  'E17-names': { says: 'Names of files are replaced.', breaks: '2.15', at: 'E17' },
  'E17-lower': { says: 'Names of files are told in lower case.', breaks: '2.15', at: 'E17' },
  'E17-latin': value('E17', 'E17', 'Names of files are read as Latin-1.', (body) => {
    body.file_names = body.file_names.map(latin)
  }),
  'E17-none': { says: 'An upload without files is taken.', breaks: 'E17', at: 'E17' },
  'E19-first': { says: 'Only the first method is found.', breaks: 'E19', at: 'E19' },
  'E19-get': { says: 'Only methods of GET are found.', breaks: 'E19', at: 'E19' },
  'E19-swapped': { says: 'Path and method are swapped.', breaks: '2.14', at: 'E19' },
  'E19-stale': { says: 'The methods of the first definition are answered for all.', breaks: 'E19', at: 'E19' },
  'E21-sessions': { says: 'Every project has all chat sessions.', breaks: '2.12', at: 'E1,E21,E22' },
  'E21-no-sessions': { says: 'The list of projects has no chat sessions.', breaks: '2.12', at: 'E1,E21,E22' },
  'E22-all-files': { says: 'The files of all projects are listed.', breaks: 'E22', at: 'E21,E22,E24' },
  'E22-owner': {
    says: 'The files of a project are said to be of another user.',
    breaks: '2.11',
    at: 'E21,E22',
    answer({ status, body }, operation) {
      if (operation !== 'E22' || status !== 200) return
      for (const file of body.files) file.user_id = uuid('a5e0', 8)
    }
  },
  'E23-old': { says: 'The instructions are answered as they were.', breaks: 'E23', at: 'E22,E23' },
  'E23-empty': { says: 'Empty instructions change nothing.', breaks: 'E23', at: 'E22,E23' },
  'E23-appends': { says: 'New instructions are put after the old ones.', breaks: 'E23', at: 'E22,E23' },
  'E23-cuts': { says: 'Instructions are cut after 255 characters.', breaks: 'E23', at: 'E22,E23' },
  'E23-escapes': { says: 'Instructions are kept with entities of HTML.', breaks: 'E23', at: 'E22,E23' },
  'E23-ascii': { says: 'Emoji are dropped from instructions.', breaks: 'E23', at: 'E22,E23' },
  'E24-project': value('E22,E24', 'E24', 'A link names another project.', (body) => {
    body.project_id = 604
  }),
  'E25-failed': { says: 'A failed file is not found.', breaks: '3.1', at: 'E22,E25' },
  'E25-canceled': { says: 'A canceled file is not found.', breaks: '3.1', at: 'E22,E25' },
  'E25-deleting': { says: 'A file that is being deleted is not found, and listed.', breaks: '3.1', at: 'E21,E22,E25' },
  'E25-processing': { says: 'A file is not found until it has been processed.', breaks: '3.1', at: 'E22,E25' },
  'E26-first': {
    says: 'Of the projects of a deleted file only the first is named.',
    breaks: 'E26',
    at: 'E21,E22,E24,E26'
  },
  'E26-others-names': { says: 'The deletion names projects of others.', breaks: 'E26', at: 'E21,E22,E24,E26' }
} as const satisfies Switches

const ignored: Record<string, string[]> = {
  E1: ['persona_id', 'project_id'],
  E6: [
    'name',
    'description',
    'system_prompt',
    'icon_name',
    'uploaded_image_id',
    'llm_model_version_override',
    'document_set_ids',
    'tool_ids',
    'label_ids',
    'groups',
    'num_chunks',
    'display_priority',
    'is_public',
    'llm_filter_extraction',
    'llm_relevance_filter',
    'datetime_aware',
    'is_default_persona',
    'replace_base_system_prompt',
    'starter_messages',
    'users',
    'user_file_ids',
    'search_start_date'
  ],
  E8: ['name', 'curator_public', 'groups']
}

const readBy: Record<string, string> = { E1: 'E1,E2,E21,E22', E6: 'E5,E6', E8: 'E8,E9' }

/** Fields of bodies that are checked, and then not taken. */
export const ignoredFields: Switches = Object.fromEntries(
  Object.entries(ignored).flatMap(([id, fields]) =>
    fields.map((field) => [
      `ignored ${id} ${field}`,
      { says: `${field} is not taken.`, breaks: id, at: readBy[id] as string }
    ])
  )
)
