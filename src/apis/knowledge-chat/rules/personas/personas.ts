import { emptyPersona, shownPersona } from '../../rows.gen.js'
import type { DocumentSet, FederatedSummary, PairSummary, Persona, Rows, UserReference } from '../../types.gen.js'
import { isGone } from '../files/files.js'
import { removePersona } from '../indexing/removal.js'
import {
  type Context,
  changesAll,
  foundBy,
  isKnown,
  missing,
  notEditable,
  notYours,
  Refusal,
  type Rules
} from '../rule.js'
import { type Body, patchPersona } from './persona-patch.js'
import { knownReferences } from './persona-references.js'
import { canSee } from './visibility.js'

/** Agents, called personas: E5 to E7. */
export const personaRules: Rules<'personas'> = {
  /** E5 */
  getPersona({ path }, context) {
    const persona = context.rows.personas.get(path.persona_id)
    if (!persona || !canSee(context, persona)) throw missing(persona, { ...path, whose: whose(context) })
    return personaReply(context, persona)
  },

  /** E6: a refused request changes nothing. */
  updatePersona({ path, body }, context) {
    const persona = newPersona(context, path.persona_id) ?? editablePersona(context, path.persona_id)
    if (persona.builtin_persona && context.assume('persona.builtin') === 'refused') throw new Refusal('builtin')
    const next = patchPersona(context, persona, knownReferences(context, persona, body))
    checkDefault(context, persona, body, next)
    context.rows.personas.put(next)
    return withoutStartDate(context, personaReply(context, next))
  },

  /** E7 */
  deletePersona({ path }, context) {
    const persona = editablePersona(context, path.persona_id)
    if (persona.builtin_persona && context.assume('persona.builtin-deletion') === 'refused') {
      throw new Refusal('builtin', path)
    }
    removePersona(context, persona)
    return { deleted: true, id: persona.id }
  }
}

/** An empty agent of the caller, if no user has one with this id and E6 may create it. Its id fits into 32 bits. */
function newPersona(context: Context, id: number): Rows['personas'] | undefined {
  if (context.rows.personas.get(id) || id < 1 || id > 0x7fffffff) return undefined
  if (context.assume('persona.unknown-id') === 'refused') return undefined
  return { ...emptyPersona, id, owner_id: context.user.id, user_ids: [], is_visible: true, builtin_persona: false }
}

/** An agent that the caller may change: its own, or one of others that it may see and change. */
function editablePersona(context: Context, persona_id: number): Rows['personas'] {
  const persona = context.rows.personas.get(persona_id)
  if (persona?.owner_id === context.user.id) return persona
  const isReadable = persona !== undefined && canSee(context, persona)
  if (isReadable && changesAll(context)) return persona
  throw notEditable(persona, isReadable, { persona_id, whose: whose(context) })
}

/** The end of the running service's sentence that there is no such agent. */
function whose({ user }: Context): string {
  return user.role === 'admin' ? '' : notYours
}

function checkDefault(context: Context, before: Rows['personas'], body: Body, after: Rows['personas']): void {
  const reason = defaultProblem(context.user, before, body, after)
  if (reason && context.assume('persona.default') === 'guarded') throw new Refusal(reason)
}

/** Why this change may not make an agent a default one, or hide a default one. */
function defaultProblem(user: Rows['users'], before: Rows['personas'], body: Body, after: Rows['personas']) {
  const becomesDefault = body.is_default_persona === true
  const hidden = after.is_default_persona && before.is_public && !after.is_public
  if ((becomesDefault && !after.is_public) || hidden) return 'default-not-public'
  return becomesDefault && (user.role === 'basic' || user.role === 'limited') ? 'default-by-user' : undefined
}

function withoutStartDate(context: Context, persona: Persona): Persona {
  if (context.assume('persona.search-start-date') !== 'absent') return persona
  const { search_start_date: _, ...rest } = persona
  return rest
}

/** An agent as responses show it (2.7). Ids are replaced by their rows, and missing rows are left out. */
function personaReply(context: Context, stored: Rows['personas']): Persona {
  const { rows, now } = context
  const row = inChunks(context, stored)
  return shownPersona(row, {
    user_file_ids: row.user_file_ids.filter((id) => {
      const file = rows.userFiles.get(id)
      return file && !isGone(file, now)
    }),
    tools: foundBy(row.tool_ids, (id) => rows.tools.get(id)),
    labels: foundBy(row.label_ids, (id) => rows.labels.get(id)),
    owner: row.owner_id === null ? null : (userReference(context, row.owner_id) ?? null),
    users: foundBy(row.user_ids, (id) => userReference(context, id)),
    document_sets: foundBy(row.document_set_ids, (id) => documentSet(context, id))
  })
}

/** A fraction may have been stored while num_chunks was a number. */
function inChunks(context: Context, row: Rows['personas']): Rows['personas'] {
  const { num_chunks } = row
  if (num_chunks === null || Number.isInteger(num_chunks)) return row
  return context.assume('persona.num-chunks') === 'number' ? row : { ...row, num_chunks: Math.floor(num_chunks) }
}

function userReference({ rows }: Context, id: string): UserReference | undefined {
  const user = rows.users.get(id)
  return user && { id: user.id, email: user.email }
}

/** 2.9 */
function documentSet(context: Context, id: number): DocumentSet | undefined {
  const row = context.rows.documentSets.get(id)
  return (
    row && {
      id: row.id,
      name: row.name,
      description: row.description,
      cc_pair_summaries: foundBy(row.cc_pair_ids, (pairId) => pairSummary(context, pairId)),
      is_up_to_date: row.is_up_to_date,
      is_public: row.is_public,
      users: row.users.filter((userId) => context.rows.users.get(userId)),
      groups: row.groups,
      federated_connector_summaries: row.federated_connector_summaries.map((it) => federatedSummary(context, it))
    }
  )
}

/** A pair is hidden if the contract in force does not know its connector's source. */
function pairSummary(context: Context, id: number): PairSummary | undefined {
  const { rows } = context
  const pair = rows.connectorCredentials.get(id)
  const connector = pair && rows.connectors.get(pair.connector_id)
  if (!connector || !isKnown(context, connector)) return undefined
  return { id: pair.id, name: pair.name, source: connector.source, access_type: pair.access_type }
}

function federatedSummary(context: Context, summary: FederatedSummary): FederatedSummary {
  return context.assume('document-set.entities') === 'stored' ? summary : { ...summary, entities: {} }
}
