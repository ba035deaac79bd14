import { emptyPersona } from '../../contract/rows.gen.js'
import type { Rows, UpdatePersonaInput } from '../../contract/types.gen.js'
import type { Context } from '../rule.js'

export type Body = UpdatePersonaInput['body']
type Persona = Rows['personas']

/** The body fields that are no field of the row, and the field that each of them changes. */
const elsewhere = {
  users: 'user_ids',
  remove_image: 'uploaded_image_id'
} satisfies Record<Exclude<keyof Body, keyof Persona>, keyof Persona>

/** What each field is when it is empty, by its name in the row; the image has a rule of its own. */
const { uploaded_image_id: _, ...sameName } = emptyPersona
const empty = { ...sameName, [elsewhere.users]: [] }
type Field = keyof typeof empty
const fields = Object.keys(empty) as Field[]

/** The fields whose default the description shows. */
const withDefault = new Set<Field>(['is_default_persona', 'replace_base_system_prompt'])

/** E6: the row as a body changes it, whose ids are known. */
export function patchPersona(context: Context, row: Persona, body: Body): Persona {
  const named = fields.filter((field) => given(body, field) !== undefined)
  const isWhole = named.length === fields.length
  const policy = isWhole ? 'partial' : context.assume('persona.patch')
  const next: Persona = { ...row, uploaded_image_id: imageOf(context, row, body, policy) }
  const changing: Record<Field, unknown> = next
  for (const field of policy === 'partial' ? named : fields) {
    const value = given(body, field)
    const resets = policy === 'replace' || (policy === 'defaults' && withDefault.has(field))
    if (value !== undefined) changing[field] = value ?? cleared(field, row)
    else if (resets) changing[field] = empty[field]
  }
  return next
}

/** What a body gives for a field of the row: users are the one field that has another name there. */
function given(body: Body, field: Field): unknown {
  return body[field === 'user_ids' ? 'users' : field]
}

/** What null makes of a field: what cannot be null stays as it is, but a list loses its items. */
function cleared(field: Field, row: Persona): unknown {
  return empty[field] === null || Array.isArray(empty[field]) ? empty[field] : row[field]
}

/** Where a body replaces the whole agent, the image stays unless it is removed. */
function imageOf(
  context: Context,
  row: Persona,
  { uploaded_image_id, remove_image }: Body,
  policy: string
): string | null {
  if (uploaded_image_id && remove_image) return context.assume('persona.image') === 'new' ? uploaded_image_id : null
  if (uploaded_image_id) return uploaded_image_id
  if (remove_image) return null
  if (uploaded_image_id === undefined || policy === 'replace') return row.uploaded_image_id
  return uploaded_image_id
}
