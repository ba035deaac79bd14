import { emptyPersona } from '../../rows.gen.js'
import type { Rows, UpdatePersonaInput } from '../../types.gen.js'
import type { Context } from '../rule.js'

export type Body = UpdatePersonaInput['body']
type Persona = Rows['personas']

/** Body fields with other names in the row. */
const elsewhere = {
  users: 'user_ids',
  remove_image: 'uploaded_image_id'
} satisfies Record<Exclude<keyof Body, keyof Persona>, keyof Persona>

/** The empty value of each field, by its name in the row. The image has its own rule. */
const { uploaded_image_id: _, ...sameName } = emptyPersona
const empty = { ...sameName, [elsewhere.users]: [] }
type Field = keyof typeof empty
const fields = Object.keys(empty) as Field[]

/** The fields whose default the description gives. */
const withDefault = new Set<Field>(['is_default_persona', 'replace_base_system_prompt'])

/** E6: the changed row. The ids in the body have been checked. */
export function patchPersona(context: Context, row: Persona, body: Body): Persona {
  const names = fields.filter((field) => valueIn(body, field) !== undefined)
  const isWhole = names.length === fields.length && body.user_file_ids !== null
  const policy = isWhole ? 'partial' : context.assume('persona.patch')
  const next: Persona = { ...row, uploaded_image_id: imageOf(context, row, body, policy) }
  const changing: Record<Field, unknown> = next
  for (const field of policy === 'partial' ? names : fields) {
    const value = valueIn(body, field)
    if (field === 'user_file_ids' && policy === 'replace' && !value) continue
    const resets = policy === 'replace' || (policy === 'defaults' && withDefault.has(field))
    if (value !== undefined) changing[field] = value ?? cleared(field, row)
    else if (resets) changing[field] = empty[field]
  }
  if (isPriorityKept(context, row, next)) next.display_priority = row.display_priority
  if (!row.is_visible && context.assume('persona.visible-again') === 'shown') next.is_visible = true
  return next
}

function isPriorityKept(context: Context, row: Persona, next: Persona): boolean {
  const isChanged = row.display_priority !== null && row.display_priority !== next.display_priority
  return isChanged && context.assume('persona.display-priority') === 'kept'
}

function valueIn(body: Body, field: Field): unknown {
  return body[field === 'user_ids' ? 'users' : field]
}

/** The value for null. A field that is not nullable keeps its value, but a list becomes empty. */
function cleared(field: Field, row: Persona): unknown {
  return empty[field] === null || Array.isArray(empty[field]) ? empty[field] : row[field]
}

/** The image. Even if a body replaces the whole agent, the image stays unless the body removes it. */
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
