import { follow, readDocuments } from '../../../../src/engine/contract/load.js'
import type { Persona, Rows, User } from '../data/rows.js'

/** An agent as the interface has it, also with fields that are younger than this service. */
const { required } = follow(readDocuments(), 'personas.json#/$defs/Persona') as { required: string[] }
const empty = Object.fromEntries(required.map((name) => [name, null]))

/** Whether the user may read an agent. */
export const canSee = (persona: Persona, user: User): boolean =>
  persona.is_public || persona.owner === user.id || persona.users.includes(user.id) || user.role === 'admin'

function toolOf(rows: Rows, id: number) {
  const tool = rows.tools.find((it) => it.id === id)
  if (!tool) return undefined
  return {
    id,
    name: tool.name.toLowerCase().replaceAll(' ', '_'),
    description: `The ${tool.name.toLowerCase()}`,
    display_name: tool.name,
    in_code_tool_id: tool.isBuiltIn ? `built-in-${id}` : null,
    definition: tool.isBuiltIn ? null : { openapi: '3.1.0' },
    custom_headers: [],
    passthrough_auth: false,
    mcp_server_id: null,
    oauth_config_id: null,
    oauth_config_name: null,
    enabled: true,
    chat_selectable: true,
    agent_creation_selectable: true,
    default_enabled: tool.isBuiltIn
  }
}

function setOf(rows: Rows, id: number) {
  const set = rows.sets.find((it) => it.id === id)
  if (!set) return undefined
  const pairs = rows.pairs.filter((it) => set.pairs.includes(it.id))
  return {
    id,
    name: set.name,
    description: `Our ${set.name.toLowerCase()}`,
    cc_pair_summaries: pairs.map((pair) => ({
      id: pair.id,
      name: pair.name,
      source: rows.connectors.find((it) => it.id === pair.connector)?.source ?? 'not_applicable',
      access_type: pair.access
    })),
    is_up_to_date: true,
    is_public: true,
    users: [],
    groups: [],
    federated_connector_summaries: [
      { id: 1, name: 'Chat of the office', source: 'federated_slack', entities: { channels: ['general'] } }
    ]
  }
}

/** A list, whatever was kept as one. */
const list = <T>(value: T[]): T[] => (Array.isArray(value) ? value : [])

const isThere = <T>(value: T | undefined): value is T => value !== undefined

/** An agent's record. */
export function personaReply(rows: Rows, persona: Persona): Record<string, unknown> {
  const { owner, isBuiltIn, isVisible, createdAt, document_set_ids, tool_ids, label_ids, users, ...fields } = persona
  const person = (id: string | null) => {
    const user = rows.users.find((it) => it.id === id)
    return user && { id: user.id, email: user.email }
  }
  return {
    ...empty,
    ...fields,
    is_visible: isVisible,
    builtin_persona: isBuiltIn,
    owner: person(owner) ?? null,
    users: list(users).map(person).filter(isThere),
    tools: list(tool_ids)
      .map((id) => toolOf(rows, id))
      .filter(isThere),
    document_sets: list(document_set_ids)
      .map((id) => setOf(rows, id))
      .filter(isThere),
    labels: rows.labels.filter(({ id }) => list(label_ids).includes(id))
  }
}
