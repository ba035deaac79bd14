import { factoryOf, fixtureSets, seeding } from '../../../fixtures/index.js'
import { defineApi, type Seeding } from '../../engine/api.js'
import { collections } from './collections.js'
import { chatRules } from './rules/chat/chat.js'
import {
  type AttemptStatus,
  attemptStages,
  attemptStatus,
  moveAttempt,
  movePair,
  nextStep as nextOfAttempt,
  type PairStatus,
  pairAt,
  pairStages
} from './rules/connectors/attempts.js'
import { connectorRules } from './rules/connectors/connectors.js'
import { credentialRules } from './rules/credentials/credentials.js'
import {
  type FileStatus,
  fileRules,
  fileStages,
  isGone,
  moveFile,
  nextStep as nextOfFile,
  statusOf
} from './rules/files/files.js'
import { attemptsOf } from './rules/indexing/refreshes.js'
import { limitRules } from './rules/limits/limits.js'
import { personaRules } from './rules/personas/personas.js'
import { projectRules } from './rules/projects/projects.js'
import type { OperationId, Rule, StatusContext } from './rules/rule.js'
import { toolRules } from './rules/tools/tools.js'
import { userRules } from './rules/users/users.js'
import { webRules } from './rules/web/web.js'
import type { Rows } from './types.gen.js'

/** What the engine knows of the Knowledge Chat API. */
export const knowledgeChat = defineApi<Rows, StatusContext>({
  title: 'Knowledge Chat Platform Management API',
  description:
    'Chat sessions, agents (personas), connectors, credentials, projects, user files, users, tools, limits and web content.',
  prefix: 'kcm',
  users: {
    collection: 'users',
    token: 'key',
    role: 'role',
    active: 'is_active',
    email: 'email',
    common: ['admin', 'curator', 'basic']
  },
  collections: {
    ...collections,
    userFiles: {
      ...collections.userFiles,
      isGone: ({ now }, file) => isGone(file, now),
      shown: (at, file) => changed(file, { status: statusOf(at, file) })
    },
    projectFiles: { ...collections.projectFiles, isGone: (at, { user_file_id: id }) => isGoneFile(at, id) },
    personas: {
      ...collections.personas,
      shown: (at, agent) =>
        agent.user_file_ids.some((id) => isGoneFile(at, id))
          ? { ...agent, user_file_ids: agent.user_file_ids.filter((id) => !isGoneFile(at, id)) }
          : agent
    },
    connectorCredentials: {
      ...collections.connectorCredentials,
      shown: (at, pair) => changed(pair, pairAt(at, pair, attemptsOf(at, pair)))
    }
  },
  lifecycles: {
    userFiles: {
      field: 'status',
      stages: fileStages,
      setStatus: moveFile,
      next(at, file) {
        const step = nextOfFile(at, file)
        return step && { name: file.name, status: statusOf(at, file), ...step }
      },
      shifts: {
        end: 'settles_at',
        times: ['created_at', 'settles_at'],
        links: { projectFiles: { by: 'user_file_id', times: ['linked_at'] } }
      }
    },
    indexAttempts: {
      field: 'settles_as',
      stages: attemptStages,
      setStatus: moveAttempt,
      next(at, attempt) {
        const step = nextOfAttempt(at, attempt)
        const id = attempt.connector_credential_id
        const name = step && (at.rows.connectorCredentials.get(id)?.name ?? `Pair ${id}`)
        return step && { name: name as string, status: attemptStatus(at, attempt), ...step }
      },
      shifts: { end: 'settles_at', times: ['time_created', 'starts_at', 'settles_at'] }
    },
    connectorCredentials: { field: 'status', stages: pairStages, setStatus: movePair }
  },
  // A missing one does not compile.
  rules: {
    ...chatRules,
    ...personaRules,
    ...credentialRules,
    ...connectorRules,
    ...webRules,
    ...toolRules,
    ...projectRules,
    ...fileRules,
    ...userRules,
    ...limitRules
  } satisfies { readonly [Id in OperationId]: Rule<Id> },
  fixtures: { sets: fixtureSets, seeding: seeding as unknown as Seeding, factoryOf },
  scenarios: [
    'first-day',
    'power-user',
    'upload-fails',
    'slow-upload',
    'indexing-trouble',
    'connector-wizard',
    'curator-view',
    'deleted-agent',
    'rate-limited',
    'broken-answer',
    'slow-network',
    'longest-text',
    'right-to-left'
  ],
  ledger: { trailingSlash: 'projects.trailing-slash' },
  examples: {
    path: '/api/persona/1',
    operation: 'getPersona',
    row: 'personas/4',
    field: 'updatePersona.description'
  },
  secrets: { 'credential.masking': 'masked' }
})

/** The statuses that rows can be set to. */
export interface Statuses {
  userFiles: FileStatus
  indexAttempts: AttemptStatus
  connectorCredentials: PairStatus
}

function isGoneFile({ rows, now }: StatusContext, id: string): boolean {
  const file = rows.userFiles.get(id)
  return file !== undefined && isGone(file, now)
}

/** Returns the same row if nothing changes. */
function changed<Row extends object>(row: Row, fields: Partial<Row>): Row {
  const isSame = Object.entries(fields).every(([name, value]) => row[name as keyof Row] === value)
  return isSame ? row : { ...row, ...fields }
}
