// Printed from contracts/ by npm run build. Do not edit.
import type { Persona, Rows } from './types.gen.js'
/** Persona as responses show it: most fields as the row has them, and the others as given. */
export function shownPersona(row: Rows['personas'], others: Required<Pick<Persona, 'user_file_ids' | 'tools' | 'labels' | 'owner' | 'users' | 'document_sets'>>): Persona {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    is_public: row.is_public,
    is_visible: row.is_visible,
    uploaded_image_id: row.uploaded_image_id,
    icon_name: row.icon_name,
    user_file_ids: others.user_file_ids,
    display_priority: row.display_priority,
    is_default_persona: row.is_default_persona,
    builtin_persona: row.builtin_persona,
    starter_messages: row.starter_messages,
    tools: others.tools,
    labels: others.labels,
    owner: others.owner,
    users: others.users,
    groups: row.groups,
    document_sets: others.document_sets,
    llm_model_provider_override: row.llm_model_provider_override,
    llm_model_version_override: row.llm_model_version_override,
    num_chunks: row.num_chunks,
    llm_relevance_filter: row.llm_relevance_filter,
    llm_filter_extraction: row.llm_filter_extraction,
    system_prompt: row.system_prompt,
    task_prompt: row.task_prompt,
    replace_base_system_prompt: row.replace_base_system_prompt,
    datetime_aware: row.datetime_aware,
    search_start_date: row.search_start_date
  }
}
/** What each field of the row that updatePersona names is when it is empty. */
export const emptyPersona = {
  name: '',
  description: '',
  system_prompt: null,
  task_prompt: null,
  llm_model_provider_override: null,
  llm_model_version_override: null,
  uploaded_image_id: null,
  icon_name: null,
  document_set_ids: [],
  tool_ids: [],
  groups: [],
  label_ids: [],
  num_chunks: null,
  display_priority: null,
  is_public: false,
  llm_filter_extraction: false,
  llm_relevance_filter: false,
  datetime_aware: false,
  is_default_persona: false,
  replace_base_system_prompt: false,
  starter_messages: null,
  user_file_ids: [],
  search_start_date: null
} satisfies Partial<Rows['personas']>
