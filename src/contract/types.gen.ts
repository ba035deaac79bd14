// Printed from contracts/ by npm run build. Do not edit.
import type { UploadedFile } from '../http/multipart.js'
/**
 * Who may open a chat session; the description shows public only (2.3).
 */
export type SharedStatus = ("public" | "private")
/**
 * Where a document comes from (2.1). Seven values name no third-party product; the others are the observed ones.
 */
export type DocumentSource = ("ingestion_api" | "slack" | "web" | "google_drive" | "gmail" | "requesttracker" | "github" | "gitbook" | "gitlab" | "guru" | "bookstack" | "outline" | "confluence" | "jira" | "slab" | "productboard" | "file" | "coda" | "notion" | "zulip" | "linear" | "hubspot" | "document360" | "gong" | "google_sites" | "zendesk" | "loopio" | "dropbox" | "sharepoint" | "teams" | "salesforce" | "discourse" | "axero" | "clickup" | "mediawiki" | "wikipedia" | "asana" | "s3" | "r2" | "google_cloud_storage" | "oci_storage" | "xenforo" | "not_applicable" | "discord" | "freshdesk" | "fireflies" | "egnyte" | "airtable" | "highspot" | "drupal_wiki" | "imap" | "bitbucket" | "testrail" | "mock_connector" | "user_file")
/**
 * Who may see what a connector indexes (2.2).
 */
export type AccessType = ("public" | "private" | "sync")
/**
 * State of one indexing attempt (2.2).
 */
export type IndexStatus = ("not_started" | "in_progress" | "success" | "canceled" | "failed" | "completed_with_errors")
/**
 * How docs_count_value is compared (2.2).
 */
export type DocsCountOperator = (">" | "<" | "=")
/**
 * How a connector reads its source (2.2).
 */
export type InputType = ("load_state" | "poll" | "event" | "slim_retrieval")
/**
 * State of a user file (2.2, 3).
 */
export type UserFileStatus = ("PROCESSING" | "COMPLETED" | "FAILED" | "CANCELED" | "DELETING")
/**
 * How a chat treats a file (2.2).
 */
export type ChatFileType = ("image" | "document" | "plain_text" | "csv")
/**
 * State of a connector-credential pair; the description shows SCHEDULED only (2.10).
 */
export type PairStatus = ("SCHEDULED" | "INITIAL_INDEXING" | "ACTIVE" | "PAUSED" | "DELETING" | "INVALID")
/**
 * A user's role; the description shows no value (E29).
 */
export type Role = ("limited" | "basic" | "admin" | "curator" | "global_curator" | "slack_user" | "ext_perm_user")
/**
 * A federated connector's source (2.1).
 */
export type FederatedSource = string
/**
 * An uploaded file.
 */
export type File = UploadedFile
export type Groups = number[]
export type Users = string[]
export type Groups1 = number[]
export type FederatedConnectorSummaries = FederatedSummary[]
export type UserFileIds = string[]
export type StarterMessages = (StarterMessage[] | null)
export type Groups2 = number[]
/**
 * An agent as its read operation answers it.
 */
export type ReadPersona = Persona
export type DeleteChatSessionReply = null
export type GetConnectorReply = (ConnectorSnapshot | StatusResponse)
export type GetIndexingStatusReply = IndexingStatusGroup[]
export type GetCredentialReply = (CredentialSnapshot | StatusResponse)
export type ListCredentialsReply = CredentialSnapshot[]
export type ListSimilarCredentialsReply = CredentialSnapshot[]
export type DeleteTokenRateLimitReply = null
export type DeletePersonaReply = null
export type ListProjectsReply = Project[]
export type DeleteToolReply = null
export type InviteUsersReply = number
export type DeleteUserReply = null

export interface Schemas {
ChatSession: ChatSession
ChatSessionSummary: ChatSessionSummary
ChatSearchGroup: ChatSearchGroup
DocumentSource: DocumentSource
AccessType: AccessType
IndexStatus: IndexStatus
DocsCountOperator: DocsCountOperator
InputType: InputType
UserFileStatus: UserFileStatus
ChatFileType: ChatFileType
SharedStatus: SharedStatus
PairStatus: PairStatus
Role: Role
FederatedSource: FederatedSource
File: File
FreeForm: CredentialJson
UserReference: UserReference
StatusResponse: StatusResponse
Detail: Detail
Message: Message
ValidationError: ValidationError
ConnectorSnapshot: ConnectorSnapshot
IndexingSummary: IndexingSummary
ConnectorIndexingStatus: ConnectorIndexingStatus
FederatedConnectorStatus: FederatedConnectorStatus
IndexingStatusGroup: IndexingStatusGroup
FileUploadResult: FileUploadResult
CredentialSnapshot: CredentialSnapshot
CredentialBase: CredentialBase
UserFile: UserFile
StarterMessage: StarterMessage
Label: Label
PairSummary: PairSummary
FederatedSummary: FederatedSummary
DocumentSet: DocumentSet
Persona: Persona
ReadPersona: ReadPersona
Project: Project
CustomHeader: CustomHeader
Tool: Tool
ToolMethod: ToolMethod
WebContent: WebContent
CreateChatSessionInput: CreateChatSessionInput
CreateChatSessionReply: CreateChatSessionReply
ListChatSessionsInput: ListChatSessionsInput
ListChatSessionsReply: ListChatSessionsReply
SearchChatsInput: SearchChatsInput
SearchChatsReply: SearchChatsReply
DeleteChatSessionInput: DeleteChatSessionInput
DeleteChatSessionReply: DeleteChatSessionReply
GetConnectorInput: GetConnectorInput
GetConnectorReply: GetConnectorReply
GetIndexingStatusInput: GetIndexingStatusInput
GetIndexingStatusReply: GetIndexingStatusReply
UploadConnectorFilesInput: UploadConnectorFilesInput
UploadConnectorFilesReply: FileUploadResult
CreateCredentialInput: CreateCredentialInput
CreateCredentialReply: CreateCredentialReply
GetCredentialInput: GetCredentialInput
GetCredentialReply: GetCredentialReply
ListCredentialsInput: ListCredentialsInput
ListCredentialsReply: ListCredentialsReply
ListSimilarCredentialsInput: ListSimilarCredentialsInput
ListSimilarCredentialsReply: ListSimilarCredentialsReply
ReplacePrivateKeyInput: ReplacePrivateKeyInput
ReplacePrivateKeyReply: CredentialBase
LinkCredentialInput: LinkCredentialInput
LinkCredentialReply: StatusResponse
UnlinkCredentialInput: UnlinkCredentialInput
UnlinkCredentialReply: StatusResponse
GetFileInput: GetFileInput
GetFileReply: UserFile
DeleteFileInput: DeleteFileInput
DeleteFileReply: DeleteFileReply
DeleteTokenRateLimitInput: DeleteTokenRateLimitInput
DeleteTokenRateLimitReply: DeleteTokenRateLimitReply
GetPersonaInput: GetPersonaInput
GetPersonaReply: ReadPersona
UpdatePersonaInput: UpdatePersonaInput
UpdatePersonaReply: ReadPersona
DeletePersonaInput: DeletePersonaInput
DeletePersonaReply: DeletePersonaReply
ListProjectsInput: ListProjectsInput
ListProjectsReply: ListProjectsReply
GetProjectDetailsInput: GetProjectDetailsInput
GetProjectDetailsReply: GetProjectDetailsReply
SetProjectInstructionsInput: SetProjectInstructionsInput
SetProjectInstructionsReply: SetProjectInstructionsReply
LinkFileInput: LinkFileInput
LinkFileReply: UserFile
ValidateToolInput: ValidateToolInput
ValidateToolReply: ValidateToolReply
DeleteToolInput: DeleteToolInput
DeleteToolReply: DeleteToolReply
InviteUsersInput: InviteUsersInput
InviteUsersReply: InviteUsersReply
DeleteUserInput: DeleteUserInput
DeleteUserReply: DeleteUserReply
GetUserRoleInput: GetUserRoleInput
GetUserRoleReply: GetUserRoleReply
OpenUrlsInput: OpenUrlsInput
OpenUrlsReply: OpenUrlsReply
ChatSessionsRow: ChatSessionsRow
ConnectorsRow: ConnectorsRow
ConnectorCredentialsRow: ConnectorCredentialsRow
IndexAttemptsRow: IndexAttemptsRow
CredentialsRow: CredentialsRow
UserFilesRow: UserFilesRow
TokenRateLimitsRow: TokenRateLimitsRow
PersonasRow: PersonasRow
LabelsRow: Label
DocumentSetsRow: DocumentSetsRow
ProjectsRow: ProjectsRow
ProjectFilesRow: ProjectFilesRow
ToolsRow: Tool
UsersRow: UsersRow
InvitesRow: InvitesRow
}
/**
 * The fields that every view of a chat session shows (2.3).
 */
export interface ChatSession {
id: string
name: (string | null)
time_created: string
shared_status: SharedStatus
persona_id: (number | null)
current_alternate_model: (string | null)
current_temperature_override: (number | null)
}
/**
 * A chat session in a list (2.3).
 */
export interface ChatSessionSummary {
id: string
name: (string | null)
time_created: string
time_updated: string
shared_status: SharedStatus
persona_id: (number | null)
current_alternate_model: (string | null)
current_temperature_override: (number | null)
}
/**
 * Sessions of one period (E3).
 */
export interface ChatSearchGroup {
title: string
chats: ChatSession[]
}
/**
 * A JSON object whose structure the description does not show.
 */
export interface CredentialJson {
[k: string]: unknown
}
/**
 * A user, named by id and address (2.7).
 */
export interface UserReference {
id: string
email: string
}
/**
 * Outcome of an operation on a connector or credential, StatusResponse[int] (2.5).
 */
export interface StatusResponse {
success: boolean
message?: (string | null)
data?: (number | null)
}
/**
 * An error in one sentence.
 */
export interface Detail {
detail: string
}
/**
 * An error in one sentence, as the running service words those it did not foresee.
 */
export interface Message {
message: string
}
/**
 * Everything that is wrong with a request (2.16).
 */
export interface ValidationError {
/**
 * @minItems 1
 */
detail: [{
type: string
/**
 * @minItems 1
 */
loc: [(string | number), ...((string | number))[]]
msg: string
/**
 * The offending value. Chat operations always carry it.
 */
input?: {
[k: string]: unknown
}
/**
 * The figures of the broken rule. Chat operations always carry it.
 */
ctx?: {

}
}, ...({
type: string
/**
 * @minItems 1
 */
loc: [(string | number), ...((string | number))[]]
msg: string
/**
 * The offending value. Chat operations always carry it.
 */
input?: {
[k: string]: unknown
}
/**
 * The figures of the broken rule. Chat operations always carry it.
 */
ctx?: {

}
})[]]
}
/**
 * A connector (2.6).
 */
export interface ConnectorSnapshot {
name: string
source: DocumentSource
input_type: InputType
connector_specific_config: CredentialJson
id: number
credential_ids: number[]
time_created: string
time_updated: string
/**
 * Seconds between two indexing attempts.
 */
refresh_freq: (number | null)
/**
 * Seconds between two prunings.
 */
prune_freq: (number | null)
indexing_start: (string | null)
}
/**
 * Figures of one source, after filtering and before paging (2.10).
 */
export interface IndexingSummary {
total_connectors: number
active_connectors: number
public_connectors: number
total_docs_indexed: number
}
/**
 * How the indexing of one connector-credential pair stands (2.10).
 */
export interface ConnectorIndexingStatus {
cc_pair_id: number
name: (string | null)
source: DocumentSource
access_type: AccessType
cc_pair_status: PairStatus
in_progress: boolean
in_repeated_error_state: boolean
last_finished_status: (IndexStatus | null)
last_status: (IndexStatus | null)
last_success: (string | null)
is_editable: boolean
docs_indexed: number
latest_index_attempt_docs_indexed: (number | null)
}
/**
 * A federated connector among the indexing statuses; the description does not show its fields (2.10).
 */
export interface FederatedConnectorStatus {
id: number
name: string
source: FederatedSource
}
/**
 * The indexing statuses of one source (2.10).
 */
export interface IndexingStatusGroup {
source: DocumentSource
summary: IndexingSummary
current_page: number
total_pages: number
indexing_statuses: (ConnectorIndexingStatus | FederatedConnectorStatus)[]
}
/**
 * What an upload stored (2.15).
 */
export interface FileUploadResult {
file_paths: string[]
file_names: string[]
zip_metadata: CredentialJson
}
/**
 * A stored credential (2.4).
 */
export interface CredentialSnapshot {
credential_json: CredentialJson
admin_public: boolean
source: DocumentSource
name?: (string | null)
curator_public?: boolean
groups?: Groups
id: number
user_id: (string | null)
user_email?: (string | null)
time_created: string
time_updated: string
}
/**
 * A credential as the private-key operation answers it (E12).
 */
export interface CredentialBase {
credential_json: CredentialJson
admin_public: boolean
source: DocumentSource
name: string
curator_public: boolean
groups: Groups
}
/**
 * A user's file (2.11).
 */
export interface UserFile {
id: string
name: string
user_id: string
file_id: string
created_at: string
status: UserFileStatus
last_accessed_at: (string | null)
/**
 * The media type.
 */
file_type: (string | null)
chat_file_type: ChatFileType
token_count: (number | null)
chunk_count: (number | null)
temp_id: (string | null)
project_id: (number | null)
}
/**
 * A message that an agent offers to start with (2.7).
 */
export interface StarterMessage {
name: string
message: string
}
/**
 * A label of agents (2.7).
 */
export interface Label {
id: number
name: string
}
/**
 * A connector-credential pair in a document set (2.9).
 */
export interface PairSummary {
id: number
name: (string | null)
source: DocumentSource
access_type: AccessType
}
/**
 * A federated connector in a document set (2.9).
 */
export interface FederatedSummary {
id: number
name: string
source: FederatedSource
entities: CredentialJson
}
/**
 * A set of documents that agents search (2.9).
 */
export interface DocumentSet {
id: number
name: string
description: (string | null)
cc_pair_summaries: PairSummary[]
is_up_to_date: boolean
is_public: boolean
users: Users
groups: Groups1
federated_connector_summaries: FederatedConnectorSummaries
}
/**
 * An agent: prompts, tools, document sets, model overrides and starter messages (2.7).
 */
export interface Persona {
id: number
name: string
description: string
is_public: boolean
is_visible: boolean
uploaded_image_id: (string | null)
icon_name: (string | null)
user_file_ids: UserFileIds
display_priority: (number | null)
is_default_persona: boolean
builtin_persona: boolean
starter_messages: StarterMessages
tools: Tool[]
labels: Label[]
owner: (UserReference | null)
users: UserReference[]
groups: Groups2
document_sets: DocumentSet[]
llm_model_provider_override: (string | null)
llm_model_version_override: (string | null)
num_chunks: (number | null)
llm_relevance_filter: boolean
llm_filter_extraction: boolean
system_prompt: (string | null)
task_prompt: (string | null)
replace_base_system_prompt: boolean
datetime_aware: boolean
search_start_date?: (string | null)
}
/**
 * A tool of an agent (2.8).
 */
export interface Tool {
id: number
name: string
description: string
display_name: string
in_code_tool_id: (string | null)
definition: ({
[k: string]: unknown
} | null)
custom_headers: (CustomHeader[] | null)
passthrough_auth: boolean
mcp_server_id: (number | null)
user_id: (string | null)
oauth_config_id: (number | null)
oauth_config_name: (string | null)
enabled: boolean
chat_selectable: boolean
agent_creation_selectable: boolean
default_enabled: boolean
}
/**
 * A header that a custom tool sends.
 */
export interface CustomHeader {
key: string
value: string
}
/**
 * A project (2.12).
 */
export interface Project {
id: number
name: string
description: (string | null)
created_at: string
user_id: string
chat_sessions: ChatSessionSummary[]
instructions: (string | null)
}
/**
 * One method of a custom tool (2.14).
 */
export interface ToolMethod {
name: string
summary: string
path: string
method: string
spec: CredentialJson
}
/**
 * The content of one page (2.13).
 */
export interface WebContent {
document_citation_number: number
content: string
unique_identifier_to_strip_away: string
type: "open_url"
}
export interface CreateChatSessionInput {
body: {
/**
 * The agent to talk to; none: the built-in default, id 0.
 */
persona_id?: (number | null)
/**
 * Becomes the session's name.
 */
description?: (string | null)
project_id?: (number | null)
incognito?: (boolean | null)
incognito_session_id?: (string | null)
}
}
export interface CreateChatSessionReply {
chat_session_id: string
}
export interface ListChatSessionsInput {
query: {
/**
 * Only the sessions of this project.
 */
project_id?: number
/**
 * Leave out sessions that belong to a project. Default: false.
 */
only_non_project_chats?: boolean
/**
 * Show sessions without messages that are older than five minutes, where those are hidden.
 */
include_failed_chats?: boolean
page_size?: number
/**
 * Only sessions last updated before this time.
 */
before?: string
}
}
export interface ListChatSessionsReply {
sessions: ChatSessionSummary[]
}
export interface SearchChatsInput {
query: {
/**
 * What to look for in the names; blank: recent sessions.
 */
query?: string
page?: number
page_size?: number
}
}
export interface SearchChatsReply {
groups: ChatSearchGroup[]
has_more: boolean
/**
 * The page to ask for next; none on the last.
 */
next_page: (number | null)
}
export interface DeleteChatSessionInput {
path: {
session_id: string
}
}
export interface GetConnectorInput {
path: {
connector_id: number
}
}
export interface GetIndexingStatusInput {
body: {
/**
 * Read the attempts of the index that is being built.
 */
secondary_index?: (boolean | null)
access_type_filters?: (AccessType[] | null)
last_status_filters?: (IndexStatus[] | null)
docs_count_operator?: (DocsCountOperator | null)
docs_count_value?: (number | null)
name_filter?: (string | null)
/**
 * The page wanted of each source; the first is 1.
 */
source_to_page?: ({
[k: string]: number
} | null)
get_all_connectors?: (boolean | null)
}
}
export interface UploadConnectorFilesInput {
body: {
files: File[]
}
}
export interface CreateCredentialInput {
body: {
credential_json: {
[k: string]: unknown
}
admin_public: boolean
source: DocumentSource
name?: (string | null)
curator_public?: (boolean | null)
groups?: (number[] | null)
}
}
export interface CreateCredentialReply {
id: number
credential: CredentialSnapshot
}
export interface GetCredentialInput {
path: {
credential_id: number
}
}
export interface ListCredentialsInput {

}
export interface ListSimilarCredentialsInput {
path: {
source_type: DocumentSource
}
query: {
/**
 * Only those that the caller may edit.
 */
get_editable?: boolean
}
}
export interface ReplacePrivateKeyInput {
path: {
credential_id: number
}
body: {
name?: (string | null)
/**
 * A JSON object, as text; merged over the stored one.
 */
credential_json: string
uploaded_file: File
/**
 * The key of credential_json that takes the file, in base64.
 */
field_key: string
/**
 * The kind of key.
 */
type_definition_key: string
}
}
export interface LinkCredentialInput {
path: {
connector_id: number
credential_id: number
}
body: {
name?: (string | null)
auto_sync_options?: ({
[k: string]: unknown
} | null)
groups?: (number[] | null)
/**
 * Not in the description; the running service takes it. None: public.
 */
access_type?: (AccessType | null)
}
}
export interface UnlinkCredentialInput {
path: {
connector_id: number
credential_id: number
}
}
export interface GetFileInput {
path: {
file_id: string
}
}
export interface DeleteFileInput {
path: {
file_id: string
}
}
export interface DeleteFileReply {
has_associations: boolean
project_names: string[]
assistant_names: string[]
}
export interface DeleteTokenRateLimitInput {
path: {
token_rate_limit_id: number
}
}
export interface GetPersonaInput {
path: {
persona_id: number
}
}
export interface UpdatePersonaInput {
path: {
persona_id: number
}
body: {
name?: (string | null)
description?: (string | null)
document_set_ids?: (number[] | null)
num_chunks?: (number | null)
is_public?: (boolean | null)
llm_filter_extraction?: (boolean | null)
llm_relevance_filter?: (boolean | null)
llm_model_provider_override?: (string | null)
llm_model_version_override?: (string | null)
starter_messages?: (StarterMessage[] | null)
users?: (string[] | null)
groups?: (number[] | null)
tool_ids?: (number[] | null)
remove_image?: (boolean | null)
uploaded_image_id?: (string | null)
icon_name?: (string | null)
search_start_date?: (string | null)
label_ids?: (number[] | null)
is_default_persona?: (boolean | null)
display_priority?: (number | null)
user_file_ids?: (string[] | null)
system_prompt?: (string | null)
replace_base_system_prompt?: (boolean | null)
task_prompt?: (string | null)
datetime_aware?: (boolean | null)
}
}
export interface DeletePersonaInput {
path: {
persona_id: number
}
}
export interface ListProjectsInput {

}
export interface GetProjectDetailsInput {
path: {
project_id: number
}
}
export interface GetProjectDetailsReply {
project: Project
files: UserFile[]
persona_id_to_is_default: {
[k: string]: boolean
}
}
export interface SetProjectInstructionsInput {
path: {
project_id: number
}
body: {
instructions: string
}
}
export interface SetProjectInstructionsReply {
instructions: string
}
export interface LinkFileInput {
path: {
project_id: number
file_id: string
}
}
export interface ValidateToolInput {
body: {
/**
 * An OpenAPI 3 document, as JSON.
 */
definition: {
[k: string]: unknown
}
}
}
export interface ValidateToolReply {
methods: ToolMethod[]
}
export interface DeleteToolInput {
path: {
tool_id: number
}
}
export interface InviteUsersInput {
body: {
emails: string[]
}
}
export interface DeleteUserInput {
body: {
user_email: string
}
}
export interface GetUserRoleInput {

}
export interface GetUserRoleReply {
role: Role
}
export interface OpenUrlsInput {
body: {
/**
 * @minItems 1
 */
urls: [string, ...(string)[]]
}
}
export interface OpenUrlsReply {
results: WebContent[]
provider_type: "service_web_crawler"
}
export interface ChatSessionsRow {
id: string
user_id: string
name: (string | null)
time_created: string
time_updated: string
shared_status: SharedStatus
persona_id: (number | null)
current_alternate_model: (string | null)
current_temperature_override: (number | null)
project_id: (number | null)
incognito: boolean
message_count: number
}
export interface ConnectorsRow {
id: number
name: string
source: DocumentSource
input_type: InputType
connector_specific_config: CredentialJson
time_created: string
time_updated: string
/**
 * Seconds between two indexing attempts.
 */
refresh_freq: (number | null)
/**
 * Seconds between two prunings.
 */
prune_freq: (number | null)
indexing_start: (string | null)
}
export interface ConnectorCredentialsRow {
id: number
connector_id: number
credential_id: number
name: (string | null)
access_type: AccessType
status: PairStatus
groups: number[]
auto_sync_options: ({
[k: string]: unknown
} | null)
docs_indexed: number
last_success: (string | null)
in_repeated_error_state: boolean
}
export interface IndexAttemptsRow {
id: number
connector_credential_id: number
secondary_index: boolean
time_created: string
starts_at: (string | null)
settles_at: (string | null)
settles_as: IndexStatus
docs_indexed: number
}
export interface CredentialsRow {
id: number
credential_json: CredentialJson
admin_public: boolean
source: DocumentSource
name: (string | null)
curator_public: boolean
groups: Groups
user_id: (string | null)
time_created: string
time_updated: string
}
export interface UserFilesRow {
id: string
name: string
user_id: string
file_id: string
created_at: string
status: UserFileStatus
settles_at: (string | null)
settles_as: ("COMPLETED" | "FAILED" | "CANCELED")
/**
 * How often the file was read while PROCESSING; counted where files.lifecycle says so.
 */
reads: number
last_accessed_at: (string | null)
/**
 * The media type.
 */
file_type: (string | null)
chat_file_type: ChatFileType
token_count: (number | null)
chunk_count: (number | null)
temp_id: (string | null)
}
export interface TokenRateLimitsRow {
id: number
enabled: boolean
/**
 * In thousands of tokens.
 */
token_budget: number
period_hours: number
scope: ("user" | "user_group" | "global")
}
export interface PersonasRow {
id: number
name: string
description: string
is_public: boolean
is_visible: boolean
uploaded_image_id: (string | null)
icon_name: (string | null)
user_file_ids: UserFileIds
display_priority: (number | null)
is_default_persona: boolean
builtin_persona: boolean
starter_messages: StarterMessages
tool_ids: number[]
label_ids: number[]
owner_id: (string | null)
user_ids: string[]
groups: Groups2
document_set_ids: number[]
llm_model_provider_override: (string | null)
llm_model_version_override: (string | null)
num_chunks: (number | null)
llm_relevance_filter: boolean
llm_filter_extraction: boolean
system_prompt: (string | null)
task_prompt: (string | null)
replace_base_system_prompt: boolean
datetime_aware: boolean
search_start_date: (string | null)
}
export interface DocumentSetsRow {
id: number
name: string
description: (string | null)
cc_pair_ids: number[]
is_up_to_date: boolean
is_public: boolean
users: Users
groups: Groups1
federated_connector_summaries: FederatedConnectorSummaries
}
export interface ProjectsRow {
id: number
name: string
description: (string | null)
created_at: string
user_id: string
instructions: (string | null)
}
export interface ProjectFilesRow {
id: number
project_id: number
user_file_id: string
linked_at: string
}
export interface UsersRow {
id: string
key: string
email: string
role: Role
is_active: boolean
}
export interface InvitesRow {
id: number
email: string
invited_at: string
invited_by: (string | null)
}

/** Every operation: its resource, what its rule gets and what it returns. */
export interface Operations {
  createChatSession: { resource: 'chat'; input: CreateChatSessionInput; reply: CreateChatSessionReply }
  listChatSessions: { resource: 'chat'; input: ListChatSessionsInput; reply: ListChatSessionsReply }
  searchChats: { resource: 'chat'; input: SearchChatsInput; reply: SearchChatsReply }
  deleteChatSession: { resource: 'chat'; input: DeleteChatSessionInput; reply: Deleted }
  getConnector: { resource: 'connectors'; input: GetConnectorInput; reply: GetConnectorReply }
  getIndexingStatus: { resource: 'connectors'; input: GetIndexingStatusInput; reply: GetIndexingStatusReply }
  uploadConnectorFiles: { resource: 'connectors'; input: UploadConnectorFilesInput; reply: FileUploadResult }
  createCredential: { resource: 'credentials'; input: CreateCredentialInput; reply: CreateCredentialReply }
  getCredential: { resource: 'credentials'; input: GetCredentialInput; reply: GetCredentialReply }
  listCredentials: { resource: 'credentials'; input: ListCredentialsInput; reply: ListCredentialsReply }
  listSimilarCredentials: { resource: 'credentials'; input: ListSimilarCredentialsInput; reply: ListSimilarCredentialsReply }
  replacePrivateKey: { resource: 'credentials'; input: ReplacePrivateKeyInput; reply: CredentialBase }
  linkCredential: { resource: 'credentials'; input: LinkCredentialInput; reply: StatusResponse }
  unlinkCredential: { resource: 'credentials'; input: UnlinkCredentialInput; reply: StatusResponse }
  getFile: { resource: 'files'; input: GetFileInput; reply: UserFile }
  deleteFile: { resource: 'files'; input: DeleteFileInput; reply: DeleteFileReply }
  deleteTokenRateLimit: { resource: 'limits'; input: DeleteTokenRateLimitInput; reply: Deleted }
  getPersona: { resource: 'personas'; input: GetPersonaInput; reply: ReadPersona }
  updatePersona: { resource: 'personas'; input: UpdatePersonaInput; reply: ReadPersona }
  deletePersona: { resource: 'personas'; input: DeletePersonaInput; reply: Deleted }
  listProjects: { resource: 'projects'; input: ListProjectsInput; reply: ListProjectsReply }
  getProjectDetails: { resource: 'projects'; input: GetProjectDetailsInput; reply: GetProjectDetailsReply }
  setProjectInstructions: { resource: 'projects'; input: SetProjectInstructionsInput; reply: SetProjectInstructionsReply }
  linkFile: { resource: 'projects'; input: LinkFileInput; reply: UserFile }
  validateTool: { resource: 'tools'; input: ValidateToolInput; reply: ValidateToolReply }
  deleteTool: { resource: 'tools'; input: DeleteToolInput; reply: Deleted }
  inviteUsers: { resource: 'users'; input: InviteUsersInput; reply: InviteUsersReply }
  deleteUser: { resource: 'users'; input: DeleteUserInput; reply: Deleted }
  getUserRole: { resource: 'users'; input: GetUserRoleInput; reply: GetUserRoleReply }
  openUrls: { resource: 'web'; input: OpenUrlsInput; reply: OpenUrlsReply }
}

/** The rows of every collection. */
export interface Rows {
  chatSessions: ChatSessionsRow
  connectors: ConnectorsRow
  connectorCredentials: ConnectorCredentialsRow
  indexAttempts: IndexAttemptsRow
  credentials: CredentialsRow
  userFiles: UserFilesRow
  tokenRateLimits: TokenRateLimitsRow
  personas: PersonasRow
  labels: Label
  documentSets: DocumentSetsRow
  projects: ProjectsRow
  projectFiles: ProjectFilesRow
  tools: Tool
  users: UsersRow
  invites: InvitesRow
}

/** Every assumption and its choices. */
export interface Assumptions {
  'auth.unauthenticated': `401` | `403`
  'auth.unknown-token': `refused` | `admin`
  'auth.roles': `paths` | `matrix` | `off`
  'auth.order': `body-token-input` | `token-first`
  'errors.missing': `404` | `per-operation` | `403-foreign`
  'errors.unknown-path': `plain` | `stringified`
  'errors.wrong-method': `head-served` | `head-refused`
  'errors.unreadable-body': `400` | `422`
  'errors.wrong-host': `refused` | `served`
  'errors.validation-dialect': `pydantic-2` | `pydantic-1`
  'errors.input-and-ctx': `chat-only` | `always`
  'requests.coercion': `strict` | `lax`
  'requests.unknown-fields': `reported` | `ignored` | `rejected`
  'requests.no-content-type': `json` | `text`
  'requests.required': `listed` | `observed`
  'responses.null': `null` | `omitted`
  'sources.values': `observed` | `named-seven` | `any`
  'shared-status.values': `observed` | `any`
  'cc-pair-status.values': `observed` | `any`
  'roles.values': `observed` | `any`
  'chat.list-query': `all` | `recent`
  'chat.search-query': `bounded` | `unbounded`
  'chat.search-match': `substring` | `stems`
  'chat.groups': `by-age` | `one`
  'chat.incognito': `accepted` | `refused`
  'chat.persona-check': `404` | `400-and-403`
  'chat.default-persona': `built-in` | `none`
  'delete.body': `204` | `null` | `empty-object` | `status-response`
  'persona.patch': `partial` | `replace` | `defaults`
  'persona.search-start-date': `present` | `absent`
  'persona.references': `404` | `dropped`
  'persona.builtin': `editable` | `refused`
  'persona.default': `free` | `guarded`
  'persona.deletion': `default` | `kept`
  'credential.masking': `masked` | `plain`
  'credential.missing': `401` | `404` | `status-response`
  'connector.missing': `404` | `status-response`
  'credential.admin-list': `admin-public` | `visible`
  'credential.open-sources': `checked` | `open`
  'credential.editable-query': `get_editable` | `ignored`
  'credential.private-key': `any-file` | `pkcs12`
  'pairing.repeated': `unsuccessful` | `successful`
  'pairing.absent': `404` | `unsuccessful`
  'pairing.data': `association` | `connector`
  'pairing.access-type': `public` | `private`
  'indexing.operator-name': `docs_count_operator` | `docs_count_comparison`
  'indexing.paging': `omit-empty` | `keep-empty`
  'indexing.lifecycle': `clock` | `manual`
  'indexing.federated': `three-fields` | `omitted`
  'document-set.entities': `stored` | `empty`
  'tool.custom-headers': `key-value` | `free`
  'upload.zip': `expanded` | `expanded-or-500` | `stored`
  'web.content': `generated` | `blank`
  'web.limit': `1000` | `none`
  'tool.definition': `400` | `422`
  'tool.builtin': `refused` | `deleted`
  'projects.trailing-slash': `redirected` | `served`
  'projects.failed-files': `listed` | `hidden`
  'files.project-id': `linked` | `null`
  'files.lifecycle': `clock` | `immediate` | `after-${number}-reads` | `manual`
  'files.deletion': `unlinked` | `refused`
  'files.deleting': `readable` | `hidden` | `removed`
  'invites.invalid': `400` | `422`
  'invites.count': `list-size` | `new`
  'users.delete-active': `deleted` | `refused`
  'limits.upload': `standard` | `none` | `files:${number},total:${number},json:${number},entries:${number},unpacked:${number}`
  'events': `none`
  'versioning': `none`
}

/** Why a request may be refused; each operation's contract has those that it knows. */
export type Reason =
  | 'unauthenticated'
  | 'bad-sandbox'
  | 'forbidden'
  | 'foreign'
  | 'unknown-path'
  | 'wrong-method'
  | 'unreadable-body'
  | 'too-large'
  | 'unsupported-encoding'
  | 'wrong-host'
  | 'bug'
  | 'unknown-persona'
  | 'unknown-project'
  | 'incognito-off'
  | 'taken-id'
  | 'missing'
  | 'corrupt-zip'
  | 'second-zip'
  | 'bad-metadata'
  | 'bad-json'
  | 'bad-key-type'
  | 'bad-file-name'
  | 'bad-file'
  | 'not-associated'
  | 'unknown-reference'
  | 'bad-file-id'
  | 'builtin'
  | 'default-not-public'
  | 'default-by-user'
  | 'bad-definition'
  | 'not-owner'
  | 'bad-address'
  | 'oneself'
  | 'active'
  | 'too-many-urls'

/** The reply of an operation that deletes; see delete.body. */
export interface Deleted {
  deleted: true
  id: number | null
}
