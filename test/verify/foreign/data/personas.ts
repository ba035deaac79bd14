import type { Persona, Rows } from './rows.js'

interface Known {
  ada: string
  bob: string
  file: string
}

function persona(id: number, name: string, owner: string | null, now: number): Persona {
  return {
    id,
    owner,
    isBuiltIn: owner === null,
    isVisible: true,
    createdAt: now - id * 3_600_000,
    name,
    description: `${name}, at your service`,
    system_prompt: `You are the ${name.toLowerCase()}.`,
    task_prompt: 'Be brief.',
    llm_model_provider_override: null,
    llm_model_version_override: null,
    uploaded_image_id: 'image-of-a-lamp',
    icon_name: 'lamp',
    document_set_ids: [801],
    tool_ids: [401, 403],
    groups: [],
    label_ids: [901],
    num_chunks: 12,
    display_priority: id - 100,
    is_public: true,
    llm_filter_extraction: false,
    llm_relevance_filter: true,
    datetime_aware: true,
    is_default_persona: id === 101,
    replace_base_system_prompt: false,
    starter_messages: [{ name: 'Begin', message: 'Where do we begin?' }],
    users: [],
    user_file_ids: [],
    search_start_date: null
  }
}

/** Agents, and what they are made of. */
export function seedPersonas(
  now: number,
  { ada, bob, file }: Known
): Pick<Rows, 'personas' | 'tools' | 'sets' | 'labels'> {
  const personas = [
    persona(101, 'Concierge', null, now),
    persona(102, 'Archivist', ada, now),
    persona(103, 'Bookkeeper', ada, now),
    persona(104, 'Skipper', bob, now),
    persona(105, 'Confidant', ada, now),
    persona(106, 'Apprentice', ada, now),
    persona(107, 'Understudy', ada, now),
    persona(108, 'Extra', ada, now)
  ]
  Object.assign(personas[1] as Persona, { user_file_ids: [file], users: [bob], llm_model_provider_override: 'house' })
  Object.assign(personas[4] as Persona, { is_public: false })
  const tools = ['Web look-up', 'Calculator', 'Ticket desk', 'Stock desk', 'Till', 'Scales', 'Tape', 'Clock']
  return {
    personas,
    tools: tools.map((name, n) => ({ id: 401 + n, name, isBuiltIn: n < 2 })),
    sets: [
      { id: 801, name: 'Manuals', pairs: [701, 702] },
      { id: 802, name: 'Letters', pairs: [703] }
    ],
    labels: [
      { id: 901, name: 'Office' },
      { id: 902, name: 'Home' }
    ]
  }
}
