import type { Switches } from '../switch.js'

const fields: Record<string, string[]> = {
  E1: ['persona_id', 'description', 'project_id', 'incognito', 'incognito_session_id'],
  E4: ['path session_id'],
  E5: ['path persona_id'],
  E6: [
    'name',
    'num_chunks',
    'is_public',
    'users',
    'users[]',
    'groups[]',
    'tool_ids',
    'tool_ids[]',
    'label_ids[]',
    'user_file_ids[]',
    'uploaded_image_id',
    'starter_messages',
    'starter_messages[]',
    'search_start_date',
    'remove_image',
    'display_priority',
    'icon_name'
  ],
  E8: ['credential_json', 'admin_public', 'source', 'name', 'curator_public', 'groups[]'],
  E9: ['path credential_id'],
  E11: ['path source_type'],
  E12: ['uploaded_file'],
  E13: ['name', 'auto_sync_options', 'groups[]'],
  E15: ['path connector_id'],
  E16: [
    'secondary_index',
    'access_type_filters[]',
    'last_status_filters[]',
    'docs_count_value',
    'docs_count_operator',
    'name_filter',
    'source_to_page',
    'get_all_connectors'
  ],
  E17: ['files'],
  E18: ['urls', 'urls[]', 'urls.min'],
  E19: ['definition'],
  E20: ['path tool_id'],
  E22: ['path project_id'],
  E23: ['instructions'],
  E25: ['path file_id'],
  E27: ['emails', 'emails[]'],
  E28: ['user_email'],
  E30: ['path token_rate_limit_id']
}

const sentence = (field: string) =>
  field.startsWith('path ')
    ? `${field.slice(5)} in the path is not checked: what is no such id is not found.`
    : field.endsWith('[]')
      ? `The items of ${field.slice(0, -2)} are not checked.`
      : field.endsWith('.min')
        ? `${field.slice(0, -4)} may be empty.`
        : `${field} is not checked.`

/** Checks that let wrong values pass. */
const loose: Switches = {
  'loose uuids': { says: 'A UUID may have more letters after it.', breaks: '7.1', at: 'E25' },
  'loose integers': { says: 'Ids in a path may be hexadecimal.', breaks: '7.1', at: 'E5' },
  'loose days': { says: 'A month may have 31 days.', breaks: '7.1', at: 'E6' },
  'loose dates': { says: 'Dates may be those of HTTP.', breaks: '7.1', at: 'E6' },
  'loose sources': { says: 'What every object inherits is a source.', breaks: '7.1', at: 'E8' }
}

/** Fields that take any value. */
const unheeded: Switches = Object.fromEntries(
  Object.entries(fields).flatMap(([at, names]) =>
    names.map((name) => [
      `unchecked ${at} ${name}`,
      { says: sentence(name), breaks: name.endsWith('.min') ? '8.1' : '7.1', at }
    ])
  )
)

export const unchecked: Switches = { ...unheeded, ...loose }
