import { isObject } from '../../../engine/contract/load.js'
import { unknownNumber } from '../../../tools/verify/api.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import { isReadable } from '../../../tools/verify/judge.js'
import { namesUnknown } from '../../../tools/verify/rows.js'
import type { Run } from '../../../tools/verify/run.js'
import {
  type VerifyOptions as AnyOptions,
  type VerifiedApi,
  type VerifyResult,
  verify as verifyApi
} from '../../../tools/verify/verify.js'
import { knowledgeChat } from '../api.js'
import type { GetProjectDetailsReply, Persona } from '../types.gen.js'
import { chatPlays } from './chat.js'
import { creationPlays, credentialPlays, editablePlays, pairingPlays } from './credentials.js'
import { deletionPlays } from './deletions.js'
import { effectPlays } from './effects.js'
import { indexingPlays } from './indexing.js'
import { type Kind, kinds } from './kinds.js'
import { invitePlays, otherPlays } from './others.js'
import { personaPlays, wholeBody } from './personas.js'
import { createCredentials } from './pool.js'
import { probes } from './probes.js'
import { fileDeletionPlays, filePlays, filesAtOncePlays, projectPlays } from './projects.js'
import { racePlays } from './races.js'
import { searchPlays } from './search.js'
import { foreignPlays } from './users.js'

export type VerifyOptions = AnyOptions<Kind>

const api: VerifiedApi = {
  kinds,
  operations: {
    createChatSession: {
      creates: true,
      makes: {
        kind: 'session',
        remove: 'deleteChatSession',
        ids: (body) => [fieldOf(body, 'chat_session_id')],
        lists: [
          ['listChatSessions', {}],
          ['listProjects', {}]
        ]
      },
      // The session of this id may exist since an earlier run.
      example: (input) => (isIncognito(input) ? { ...input, body: { incognito: true } } : input),
      mayRefuse: (input) => (isIncognito(input) ? 'incognito-off' : undefined)
    },
    updatePersona: {
      unnamed: ['recency_bias'],
      missing: {
        entry: 'persona.unknown-id',
        choiceOf: (_, isRefused) => (isRefused ? 'refused' : 'created'),
        mayCreate: true
      },
      // Some servers create an agent that is not there.
      makes: {
        ...kinds.persona,
        kind: 'persona',
        ids: (_, { path }) => [path?.persona_id].filter((id) => id === unknownNumber)
      }
    },
    createCredential: {
      creates: true,
      makes: {
        ...kinds.credential,
        kind: 'credential',
        ids: (body) => [fieldOf(body, 'id')],
        lists: [['listCredentials', {}]]
      },
      isSelective: true
    },
    getCredential: { missing: { entry: 'credential.missing', choiceOf: missingChoice } },
    getConnector: { missing: { entry: 'connector.missing', choiceOf: missingChoice } },
    linkCredential: {
      makes: {
        kind: 'pair',
        remove: 'unlinkCredential',
        ids: (_, { path }) => [`${path?.connector_id}/${path?.credential_id}`]
      },
      unnamed: ['access_type', 'processing_mode'],
      unusualFor: 'credential_id'
    },
    getIndexingStatus: { unnamed: ['docs_count_operator', 'docs_count_comparison', 'source'] },
    uploadConnectorFiles: {
      creates: true,
      makes: { kind: 'upload', ids: (body) => [fieldOf(body, 'file_paths')].flat() },
      unusual: () => []
    },
    openUrls: {
      isBound: true,
      isSelective: true,
      isExplicit: true,
      unusual: () => addresses.map((url) => [`urls has ${JSON.stringify(url)}`, { urls: [url] }])
    },
    validateTool: { isBound: true },
    inviteUsers: {
      creates: true,
      makes: { kind: 'invite', ids: (_, { body }) => [fieldOf(body, 'emails')].flat() },
      isBound: true,
      isSelective: true,
      harmless: { body: { emails: [] } },
      unusual: (texts) =>
        Object.entries(texts).map(([what, text]) => {
          return [`emails has ${what}`, { emails: [`${text}@example.com`, 'kcm verify'] }]
        })
    }
  },
  caller: 'getUserRole',
  entrances: ['getUserRole', 'listChatSessions', 'listProjects'],
  tokens: { admin: 'admin', user: 'basic' },
  userRole: 'basic',
  field: knowledgeChat.examples.field,
  state: {
    admin: [
      ['listCredentials', {}],
      ['getIndexingStatus', { body: { get_all_connectors: true } }]
    ],
    rows: { listProjects: 'project' },
    ids: ['id', 'cc_pair_id', 'source'],
    moving:
      /^(time_updated$|last_|status$|in_|docs_indexed$|latest_|token_count$|chunk_count$|is_up_to_date$|summary$|total_|current_page$|temp_id$|cc_pair_status$|indexing_start$)/,
    // A file that is processed or deleted, or a page.
    isUnsteady: ({ status, total_pages }) =>
      status === 'PROCESSING' || status === 'DELETING' || (typeof total_pages === 'number' && total_pages > 1)
  },
  shows: {
    listChatSessions: { session: ['sessions'] },
    searchChats: { session: ['groups', 'chats'] },
    listProjects: { project: [], session: ['chat_sessions'] },
    getProjectDetails: { project: ['project'], file: ['files'], session: ['project', 'chat_sessions'] },
    getFile: { file: [] },
    listCredentials: { credential: [] },
    getCredential: { credential: [] },
    listSimilarCredentials: { credential: [] }
  },
  // A file can be in several projects, and each reply may write times in its own form.
  local: ['project_id', 'time_created', 'created_at'],
  parameters: { source_type: { kind: 'credential', field: 'source' } },
  success: 'success',
  secrets: ['credential_json'],
  naming: /_ids?$|_override$|^(groups|users)$/,
  referring: /(_ids?|_email|_override)$|^(groups|users|emails|urls|definition)$/,
  limited: /_key$|^(credential_json|source|uploaded_file)$/,
  neutral: { emails: (mark) => [`${mark}@example.com`] },
  probes,
  restoring,
  prepare: createCredentials,
  plays: {
    effects: [...creationPlays, ...filesAtOncePlays, ...effectPlays],
    foreign: foreignPlays,
    rules: [
      ...chatPlays,
      ...searchPlays,
      ...credentialPlays,
      ...editablePlays,
      ...pairingPlays,
      ...projectPlays,
      ...indexingPlays,
      ...otherPlays,
      ...invitePlays,
      ...personaPlays,
      ...racePlays,
      ...filePlays,
      ...fileDeletionPlays,
      ...deletionPlays
    ]
  }
}

export function verify(options: VerifyOptions): Promise<VerifyResult> {
  return verifyApi(api, options)
}

/** Addresses that cannot be opened. */
const addresses = [
  ...['http://[', 'http://kcm.invalid:99999/', 'http://', '//'],
  ...['kcm verify', 'http://%zz/', '', 'http://a\u0000b']
]

const fieldOf = (body: unknown, name: string) => (isObject(body) ? body[name] : undefined)

function isIncognito({ body }: Input): boolean {
  return isObject(body) && body.incognito === true
}

function missingChoice(status: number): string {
  return status < 300 ? 'status-response' : String(status)
}

/** Returns a function that undoes what an operation may have changed. */
async function restoring(run: Run, id: string, { path }: Input): Promise<(() => Promise<unknown>) | undefined> {
  // An accepted request has created an association.
  if (id === 'linkCredential' && !namesUnknown({ path })) return () => run.ask('unlinkCredential', { path })
  const reader = { updatePersona: 'getPersona', setProjectInstructions: 'getProjectDetails' }[id]
  const read = reader && (await run.ask(reader, { path }))
  if (!read || !isReadable(run, read)) return undefined
  const body =
    reader === 'getPersona'
      ? wholeBody(read.reply.body as Persona)
      : { instructions: (read.reply.body as GetProjectDetailsReply).project.instructions ?? '' }
  return () => run.ask(id, { path, body })
}
