import { readUuid } from '../../../../engine/contract/pydantic/scalars.js'
import type { Rows } from '../../types.gen.js'
import { checkLinkable, isGone } from '../files/files.js'
import { type Context, Refusal } from '../rule.js'
import type { Body } from './persona-patch.js'

type Id = string | number
type Persona = Rows['personas']
interface Reference {
  /** The running service's word for them if none of them exists. Null: it never complains. */
  kind: string | null
  exists(context: Context, id: Id, persona: Persona): boolean
}

/** The lists of ids in E6, in the order in which they are checked. */
const references = {
  tool_ids: { kind: 'Tools', exists: ({ rows }, id) => rows.tools.get(id) !== undefined },
  document_set_ids: { kind: 'document_sets', exists: ({ rows }, id) => rows.documentSets.get(id) !== undefined },
  label_ids: { kind: null, exists: ({ rows }, id) => rows.labels.get(id) !== undefined },
  users: { kind: null, exists: ({ rows }, id) => rows.users.get(id) !== undefined },
  user_file_ids: { kind: 'user_files', exists: isLinkable }
} satisfies Record<string, Reference>
type Field = keyof typeof references

/** The body with unique ids. Unknown ids are refused or dropped, depending on `persona.references`. */
export function knownReferences(context: Context, persona: Persona, body: Body): Body {
  const idsByField: Partial<Record<Field, Id[]>> = {}
  const sentences: string[] = []
  for (const field of Object.keys(references) as Field[]) {
    const { kind, exists }: Reference = references[field]
    const ids = [...new Set<Id>(field === 'user_file_ids' ? body[field]?.map(canonical) : body[field])]
    const unknown = ids.filter((id) => !exists(context, id, persona))
    if (unknown.length === 0) {
      if (body[field]) idsByField[field] = ids
      continue
    }
    if (context.assume('persona.references') === '404') {
      sentences.push(`${field} not found: ${unknown.join(', ')}`)
      continue
    }
    if (field === 'user_file_ids' && !ids.every(isUuid)) throw new Refusal('bad-file-id')
    if (kind !== null && unknown.length === ids.length) throw new Refusal('unknown-reference', { kind })
    idsByField[field] = ids.filter((id) => exists(context, id, persona))
  }
  if (sentences.length > 0) throw new Refusal('unknown-reference', { unknown: sentences.join('; ') })
  const added = (idsByField.user_file_ids ?? []).filter((id) => !persona.user_file_ids.includes(String(id)))
  for (const id of added) checkLinkable(context, context.rows.userFiles.get(id) as Rows['userFiles'])
  return { ...body, ...idsByField } as Body
}

/** Whether a file belongs to the agent's owner or to the caller, or is already linked. */
function isLinkable({ rows, user, now }: Context, id: Id, persona: Persona): boolean {
  const file = rows.userFiles.get(id)
  if (!file || isGone(file, now)) return false
  return file.user_id === user.id || file.user_id === persona.owner_id || persona.user_file_ids.includes(file.id)
}

/** A UUID in the form of rows. Other texts stay the same. */
function canonical(id: string): string {
  const uuid = readUuid(id)
  return typeof uuid === 'string' ? uuid : id
}

function isUuid(id: Id): boolean {
  return typeof readUuid(String(id)) === 'string'
}
