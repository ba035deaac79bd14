/** The rows that the service holds. */

export interface User {
  id: string
  email: string
  role: 'admin' | 'basic' | 'curator'
  token: string
}

export interface Session {
  id: string
  user: string
  name: string
  persona: number
  project: number | null
  shared: 'private' | 'public'
  model: string | null
  temperature: number | null
  created: number
  updated: number
}

export interface Tool {
  id: number
  name: string
  isBuiltIn: boolean
}

export interface DocumentSet {
  id: number
  name: string
  pairs: number[]
}

export interface Persona {
  id: number
  owner: string | null
  isBuiltIn: boolean
  isVisible: boolean
  createdAt: number
  name: string
  description: string
  system_prompt: string
  task_prompt: string
  llm_model_provider_override: string | null
  llm_model_version_override: string | null
  uploaded_image_id: string | null
  icon_name: string | null
  document_set_ids: number[]
  tool_ids: number[]
  groups: number[]
  label_ids: number[]
  num_chunks: number
  display_priority: number
  is_public: boolean
  llm_filter_extraction: boolean
  llm_relevance_filter: boolean
  datetime_aware: boolean
  is_default_persona: boolean
  replace_base_system_prompt: boolean
  starter_messages: { name: string; message: string }[]
  users: string[]
  user_file_ids: string[]
  search_start_date: string | null
}

export interface Credential {
  id: number
  user: string | null
  name: string | null
  source: string
  secret: Record<string, unknown>
  admin_public: boolean
  curator_public: boolean
  groups: number[]
  created: number
  updated: number
}

export interface Connector {
  id: number
  name: string
  source: string
  input_type: string
  config: Record<string, unknown>
  created: number
  updated: number
}

/** A connector with a credential; what is indexed. */
export interface Pair {
  id: number
  connector: number
  credential: number
  name: string
  access: 'public' | 'private' | 'sync'
  status: string
  finished: string | null
  docs: number
  latest: number
  succeeded: number | null
}

export interface Project {
  id: number
  user: string
  name: string
  description: string
  instructions: string
  created: number
}

export interface UserFile {
  id: string
  user: string
  name: string
  mime: string
  kind: string
  status: 'PROCESSING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'DELETING'
  tokens: number | null
  created: number
  accessed: number
}

/** A file in a project. */
export interface Link {
  project: number
  file: string
}

export interface Rows {
  users: User[]
  sessions: Session[]
  /** Deleted sessions that a search still finds. */
  buried: Session[]
  tools: Tool[]
  sets: DocumentSet[]
  labels: { id: number; name: string }[]
  personas: Persona[]
  credentials: Credential[]
  connectors: Connector[]
  pairs: Pair[]
  limits: { id: number; tokens: number }[]
  projects: Project[]
  files: UserFile[]
  links: Link[]
  /** Deleted files that projects still list. */
  removed: Map<string, UserFile>
  invited: Set<string>
  nextId: number
}
