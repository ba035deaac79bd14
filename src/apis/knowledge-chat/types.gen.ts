// Printed from contracts/ by npm run build. Do not edit.
import type { UploadedFile } from '../../engine/contract/message/body.js'
import type { ControlSchemas, Deleted, Operations as ControlOperations } from '../../engine/contract/types.gen.js'
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
/**
 * The ids of the user groups that may use the credential.
 */
export type Groups = number[]
/**
 * The users who may search the set if it is not public.
 */
export type Users = string[]
/**
 * The ids of the user groups who may search the set if it is not public.
 */
export type Groups1 = number[]
/**
 * The federated connectors that are searched with the set.
 */
export type FederatedConnectorSummaries = FederatedSummary[]
/**
 * The ids of the user groups that the agent is shared with.
 */
export type Groups2 = number[]
/**
 * An agent as its read operation answers it.
 */
export type ReadPersona = (Persona & {
/**
 * Documents older than this are not searched. In the read response.
 */
search_start_date?: (string | null)
})
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

export interface Schemas extends ControlSchemas {
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
ValidationItem: ValidationItem
ChatValidationItem: ChatValidationItem
ChatValidationError: ChatValidationError
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
UpdatePersonaReply: Persona
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
LabelsRow: LabelsRow
DocumentSetsRow: DocumentSetsRow
ProjectsRow: ProjectsRow
ProjectFilesRow: ProjectFilesRow
ToolsRow: ToolsRow
UsersRow: UsersRow
InvitesRow: InvitesRow
}
/**
 * The fields that every view of a chat session shows (2.3).
 */
export interface ChatSession {
/**
 * Identifies the session.
 */
id: string
/**
 * The title that lists show. It may be empty.
 */
name?: (string | null)
/**
 * When the session was created.
 */
time_created: string
shared_status: SharedStatus
/**
 * The agent that the session talks to.
 */
persona_id?: (number | null)
/**
 * The language model that the user chose for this session in place of the agent's.
 */
current_alternate_model?: (string | null)
/**
 * The temperature that the user chose for this session: how freely the model words its answers.
 */
current_temperature_override?: (number | null)
}
/**
 * A chat session in a list (2.3).
 */
export interface ChatSessionSummary {
/**
 * Identifies the session.
 */
id: string
/**
 * The title that lists show. It may be empty.
 */
name?: (string | null)
/**
 * When the session was created.
 */
time_created: string
/**
 * When the session last changed.
 */
time_updated: string
shared_status: SharedStatus
/**
 * The agent that the session talks to.
 */
persona_id?: (number | null)
/**
 * The language model that the user chose for this session in place of the agent's.
 */
current_alternate_model?: (string | null)
/**
 * The temperature that the user chose for this session: how freely the model words its answers.
 */
current_temperature_override?: (number | null)
}
/**
 * Sessions of one period (E3).
 */
export interface ChatSearchGroup {
/**
 * The period, such as Today or This Week.
 */
title: string
/**
 * The sessions of this period.
 */
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
/**
 * Identifies the user.
 */
id: string
/**
 * The user's email address.
 */
email: string
}
/**
 * Outcome of an operation on a connector or credential, StatusResponse[int] (2.5).
 */
export interface StatusResponse {
/**
 * Whether the operation did what was asked.
 */
success: boolean
/**
 * What happened, in one sentence.
 */
message?: (string | null)
/**
 * The id that the outcome is about. Which one depends on the operation.
 */
data?: (number | null)
}
/**
 * An error in one sentence.
 */
export interface Detail {
/**
 * What is wrong, in one sentence.
 */
detail: string
}
/**
 * An error in one sentence, as the running service words those it did not foresee.
 */
export interface Message {
/**
 * What is wrong, in one sentence.
 */
message: string
}
/**
 * Everything that is wrong with a request (2.16).
 */
export interface ValidationError {
/**
 * One item for each problem.
 * 
 * @minItems 1
 */
detail: [ValidationItem, ...(ValidationItem)[]]
}
/**
 * One problem of a request (2.16).
 */
export interface ValidationItem {
/**
 * The kind of problem, such as missing or int_parsing.
 */
type: string
/**
 * Where the problem is: path, query or body, then the names and positions that lead to the value.
 */
loc: (string | number)[]
/**
 * The problem in words.
 */
msg: string
}
/**
 * One problem of a request of the chat area (2.16).
 */
export interface ChatValidationItem {
/**
 * The kind of problem, such as missing or int_parsing.
 */
type: string
/**
 * Where the problem is: path, query or body, then the names and positions that lead to the value.
 */
loc: (string | number)[]
/**
 * The problem in words.
 */
msg: string
/**
 * The value that is wrong.
 */
input: {
[k: string]: unknown
}
/**
 * What the problem was measured by, such as a limit. Empty if there is none.
 */
ctx: {

}
}
/**
 * Everything that is wrong with a request of the chat area: each problem with the value and its measures (2.16).
 */
export interface ChatValidationError {
/**
 * One item for each problem.
 * 
 * @minItems 1
 */
detail: [ChatValidationItem, ...(ChatValidationItem)[]]
}
/**
 * A connector (2.6).
 */
export interface ConnectorSnapshot {
/**
 * The name that an administrator gave the connector.
 */
name: string
source: DocumentSource
input_type: InputType
connector_specific_config: CredentialJson
/**
 * Identifies the connector.
 */
id: number
/**
 * The credentials that are associated with the connector.
 */
credential_ids: number[]
/**
 * When the connector was created.
 */
time_created: string
/**
 * When the connector last changed.
 */
time_updated: string
/**
 * Seconds between two indexing attempts.
 */
refresh_freq?: (number | null)
/**
 * Seconds between two prunings.
 */
prune_freq?: (number | null)
/**
 * Documents older than this are not indexed.
 */
indexing_start?: (string | null)
}
/**
 * Figures of one source, after filtering and before paging (2.10).
 */
export interface IndexingSummary {
/**
 * How many connectors match the filters.
 */
total_connectors: number
/**
 * How many of them have the status ACTIVE.
 */
active_connectors: number
/**
 * How many of them have public access.
 */
public_connectors: number
/**
 * How many documents they have indexed together.
 */
total_docs_indexed: number
}
/**
 * The indexing status of one connector-credential pair (2.10).
 */
export interface ConnectorIndexingStatus {
/**
 * Identifies the association of the connector with a credential.
 */
cc_pair_id: number
/**
 * The name of the association.
 */
name?: (string | null)
source: DocumentSource
access_type: AccessType
cc_pair_status: PairStatus
/**
 * Whether an indexing attempt is running now.
 */
in_progress: boolean
/**
 * Whether the latest attempts have failed one after the other.
 */
in_repeated_error_state: boolean
/**
 * How the latest finished attempt ended.
 */
last_finished_status?: (IndexStatus | null)
/**
 * The status of the latest attempt, finished or not.
 */
last_status?: (IndexStatus | null)
/**
 * When an attempt last succeeded.
 */
last_success?: (string | null)
/**
 * Whether the caller may change the association.
 */
is_editable: boolean
/**
 * How many documents are indexed.
 */
docs_indexed: number
/**
 * How many documents the latest attempt has indexed so far.
 */
latest_index_attempt_docs_indexed?: (number | null)
}
/**
 * A federated connector among the indexing statuses; the description does not show its fields (2.10).
 */
export interface FederatedConnectorStatus {
/**
 * Identifies the federated connector.
 */
id: number
/**
 * The name of the federated connector.
 */
name: string
source: FederatedSource
}
/**
 * The indexing statuses of one source (2.10).
 */
export interface IndexingStatusGroup {
source: DocumentSource
summary: IndexingSummary
/**
 * The page shown here. The first is 1.
 */
current_page: number
/**
 * How many pages the group has.
 */
total_pages: number
/**
 * The connectors on this page, each as a connector indexing status or a federated connector status.
 */
indexing_statuses: (ConnectorIndexingStatus | FederatedConnectorStatus)[]
}
/**
 * What an upload stored (2.15).
 */
export interface FileUploadResult {
/**
 * The ids under which the files are stored, in the order of file_names.
 */
file_paths: string[]
/**
 * The names of the stored files.
 */
file_names: string[]
zip_metadata: CredentialJson
}
/**
 * A stored credential (2.4).
 */
export interface CredentialSnapshot {
credential_json: CredentialJson
/**
 * Whether every administrator may see the credential.
 */
admin_public: boolean
source: DocumentSource
/**
 * The name that people know the credential by.
 */
name?: (string | null)
/**
 * Whether every curator may see the credential.
 */
curator_public?: boolean
groups?: Groups
/**
 * Identifies the credential.
 */
id: number
/**
 * The owner. Null: it has none.
 */
user_id: (string | null)
/**
 * The owner's email address.
 */
user_email?: (string | null)
/**
 * When the credential was stored.
 */
time_created: string
/**
 * When the credential last changed.
 */
time_updated: string
}
/**
 * A credential as the private-key operation answers it (E12).
 */
export interface CredentialBase {
credential_json: CredentialJson
/**
 * Whether every administrator may see the credential.
 */
admin_public: boolean
source: DocumentSource
/**
 * The name that people know the credential by.
 */
name?: (string | null)
/**
 * Whether every curator may see the credential.
 */
curator_public: boolean
groups: Groups
}
/**
 * A user's file (2.11).
 */
export interface UserFile {
/**
 * Identifies the file.
 */
id: string
/**
 * The file's name.
 */
name: string
/**
 * The owner.
 */
user_id: string
/**
 * The id of the stored content.
 */
file_id: string
/**
 * When the file was uploaded.
 */
created_at: string
status: UserFileStatus
/**
 * When the file was last used.
 */
last_accessed_at?: (string | null)
/**
 * The media type.
 */
file_type?: (string | null)
chat_file_type: ChatFileType
/**
 * How many tokens the text has. Known when the file is processed.
 */
token_count?: (number | null)
/**
 * How many pieces the text was split into for the search. Known when the file is processed.
 */
chunk_count?: (number | null)
/**
 * The id that the client gave the file while uploading it.
 */
temp_id?: (string | null)
/**
 * The project that the file is shown in.
 */
project_id?: (number | null)
}
/**
 * A message that an agent offers to start with (2.7).
 */
export interface StarterMessage {
/**
 * The short label to click.
 */
name: string
/**
 * The text that is sent.
 */
message: string
}
/**
 * A label of agents (2.7).
 */
export interface Label {
/**
 * Identifies the label.
 */
id: number
/**
 * The label's text.
 */
name: string
}
/**
 * A connector-credential pair in a document set (2.9).
 */
export interface PairSummary {
/**
 * Identifies the association of a connector with a credential.
 */
id: number
/**
 * The name of the association.
 */
name?: (string | null)
source: DocumentSource
access_type: AccessType
}
/**
 * A federated connector in a document set (2.9).
 */
export interface FederatedSummary {
/**
 * Identifies the federated connector.
 */
id: number
/**
 * The name of the federated connector.
 */
name: string
source: FederatedSource
entities: CredentialJson
}
/**
 * A set of documents that agents search (2.9).
 */
export interface DocumentSet {
/**
 * Identifies the document set.
 */
id: number
/**
 * The name of the document set.
 */
name: string
/**
 * What the document set contains.
 */
description?: (string | null)
/**
 * The associations of connectors with credentials whose documents are in the set.
 */
cc_pair_summaries: PairSummary[]
/**
 * Whether the index has taken in the latest change of the set.
 */
is_up_to_date: boolean
/**
 * Whether every user may search the set.
 */
is_public: boolean
users: Users
groups: Groups1
federated_connector_summaries: FederatedConnectorSummaries
}
/**
 * An agent: prompts, tools, document sets, model overrides and starter messages (2.7).
 */
export interface Persona {
/**
 * Identifies the agent.
 */
id: number
/**
 * The agent's name.
 */
name: string
/**
 * What the agent is for.
 */
description: string
/**
 * Whether every user may talk to the agent.
 */
is_public: boolean
/**
 * Whether lists of agents show the agent.
 */
is_visible: boolean
/**
 * The id of the uploaded picture of the agent.
 */
uploaded_image_id?: (string | null)
/**
 * The icon that is shown where there is no picture.
 */
icon_name?: (string | null)
/**
 * The ids of the user files that the agent knows.
 */
user_file_ids: string[]
/**
 * The agent's place in lists: lower numbers come first.
 */
display_priority?: (number | null)
/**
 * Whether the agent is offered to every user by default.
 */
is_default_persona: boolean
/**
 * Whether the agent came with the platform.
 */
builtin_persona: boolean
/**
 * Messages that a user can start a chat with.
 */
starter_messages?: (StarterMessage[] | null)
/**
 * The tools that the agent may call.
 */
tools: Tool[]
/**
 * The labels that the agent carries.
 */
labels: Label[]
/**
 * The user who made the agent. Built-in agents have none.
 */
owner?: (UserReference | null)
/**
 * The users whom the agent is shared with.
 */
users: UserReference[]
groups: Groups2
/**
 * The document sets that the agent searches.
 */
document_sets: DocumentSet[]
/**
 * The provider of the language model, in place of the default one.
 */
llm_model_provider_override?: (string | null)
/**
 * The language model, in place of the default one.
 */
llm_model_version_override?: (string | null)
/**
 * How many pieces of documents the agent gives the model for an answer.
 */
num_chunks?: (number | null)
/**
 * Whether the model drops found documents that do not help.
 */
llm_relevance_filter: boolean
/**
 * Whether the model reads filters, such as a time range, from the question.
 */
llm_filter_extraction: boolean
/**
 * The instructions that every chat with the agent starts with.
 */
system_prompt?: (string | null)
/**
 * The instructions that are added to every message.
 */
task_prompt?: (string | null)
/**
 * Whether system_prompt replaces the platform's own instructions, in place of adding to them.
 */
replace_base_system_prompt: boolean
/**
 * Whether the agent knows the current date and time.
 */
datetime_aware: boolean
/**
 * Documents older than this are not searched. In the read response.
 */
search_start_date?: (string | null)
}
/**
 * A tool of an agent (2.8).
 */
export interface Tool {
/**
 * Identifies the tool.
 */
id: number
/**
 * The name that the model calls the tool by.
 */
name: string
/**
 * What the tool does, for the model.
 */
description: string
/**
 * The name that people see.
 */
display_name: string
/**
 * The name in the platform's code. Only built-in tools have one.
 */
in_code_tool_id?: (string | null)
/**
 * The OpenAPI document of a custom tool.
 */
definition?: ({
[k: string]: unknown
} | null)
/**
 * Headers that are sent with each call of the tool.
 */
custom_headers?: (CustomHeader[] | null)
/**
 * Whether the user's own sign-in is sent with each call.
 */
passthrough_auth: boolean
/**
 * The MCP server that offers the tool.
 */
mcp_server_id?: (number | null)
/**
 * The user who made the tool.
 */
user_id?: (string | null)
/**
 * The OAuth configuration that the tool signs in with.
 */
oauth_config_id?: (number | null)
/**
 * The name of that OAuth configuration.
 */
oauth_config_name?: (string | null)
/**
 * Whether agents may call the tool.
 */
enabled: boolean
/**
 * Whether users can switch the tool on in a chat.
 */
chat_selectable: boolean
/**
 * Whether the tool can be given to a new agent.
 */
agent_creation_selectable: boolean
/**
 * Whether new agents have the tool.
 */
default_enabled: boolean
}
/**
 * A header that a custom tool sends.
 */
export interface CustomHeader {
/**
 * The header's name.
 */
key: string
/**
 * The header's value. It may be a secret.
 */
value: string
}
/**
 * A project (2.12).
 */
export interface Project {
/**
 * Identifies the project.
 */
id: number
/**
 * The project's name.
 */
name: string
/**
 * What the project is for.
 */
description?: (string | null)
/**
 * When the project was created.
 */
created_at: string
/**
 * The owner.
 */
user_id: string
/**
 * The chat sessions of the project.
 */
chat_sessions: ChatSessionSummary[]
/**
 * The instructions that every chat of the project starts with.
 */
instructions?: (string | null)
}
/**
 * One method of a custom tool (2.14).
 */
export interface ToolMethod {
/**
 * The operation's id in the definition.
 */
name: string
/**
 * What the method does.
 */
summary: string
/**
 * The path below the server's address.
 */
path: string
/**
 * The HTTP method as the definition writes it.
 */
method: string
spec: CredentialJson
}
/**
 * The content of one page (2.13).
 */
export interface WebContent {
/**
 * The number that an answer cites the page by. -1: none was given.
 */
document_citation_number: number
/**
 * The text of the page.
 */
content: string
/**
 * The URL as it was asked for.
 */
unique_identifier_to_strip_away: string
/**
 * The kind of result.
 */
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
/**
 * The project that the session belongs to. It must be the caller's.
 */
project_id?: (number | null)
/**
 * Whether the session stays out of every list.
 */
incognito?: (boolean | null)
/**
 * The id to give an incognito session. Ignored for other sessions.
 */
incognito_session_id?: (string | null)
}
}
export interface CreateChatSessionReply {
/**
 * The id of the new session.
 */
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
/**
 * The most sessions to return, from 1 to 100.
 */
page_size?: number
/**
 * Only sessions last updated before this time.
 */
before?: string
}
}
export interface ListChatSessionsReply {
/**
 * The caller's sessions.
 */
sessions: ChatSessionSummary[]
}
export interface SearchChatsInput {
query: {
/**
 * What to look for in the names; blank: recent sessions.
 */
query?: string
/**
 * The page to return. The first is 1.
 */
page?: number
/**
 * How many sessions make a page.
 */
page_size?: number
}
}
export interface SearchChatsReply {
/**
 * The sessions of this page, grouped by period.
 */
groups: ChatSearchGroup[]
/**
 * Whether there is another page.
 */
has_more: boolean
/**
 * The page to ask for next; none on the last.
 */
next_page?: (number | null)
}
export interface DeleteChatSessionInput {
path: {
/**
 * The id of the session to delete.
 */
session_id: string
}
}
export interface GetConnectorInput {
path: {
/**
 * The id of the connector to read.
 */
connector_id: number
}
}
export interface GetIndexingStatusInput {
body: {
/**
 * Read the attempts of the index that is being built.
 */
secondary_index?: (boolean | null)
/**
 * Keep only associations with one of these access types. Empty: all.
 */
access_type_filters?: (AccessType[] | null)
/**
 * Keep only associations whose latest attempt has one of these statuses. Empty: all.
 */
last_status_filters?: (IndexStatus[] | null)
/**
 * How docs_count_value is compared with the number of indexed documents. Both must be given.
 */
docs_count_operator?: (DocsCountOperator | null)
/**
 * The number of documents to compare with.
 */
docs_count_value?: (number | null)
/**
 * Keep only associations whose name contains this text, in any case.
 */
name_filter?: (string | null)
/**
 * The page wanted of each source; the first is 1.
 */
source_to_page?: ({
[k: string]: number
} | null)
/**
 * Return all connectors on one page.
 */
get_all_connectors?: (boolean | null)
/**
 * Report connectors of this source only.
 */
source?: (DocumentSource | null)
}
}
export interface UploadConnectorFilesInput {
body: {
/**
 * The files to store, one or more.
 */
files: File[]
}
}
export interface CreateCredentialInput {
body: {
/**
 * The secret values, by key. Which keys there are depends on the source.
 */
credential_json: {
[k: string]: unknown
}
/**
 * Whether every administrator may see the credential.
 */
admin_public: boolean
source: DocumentSource
/**
 * The name that people know the credential by.
 */
name?: (string | null)
/**
 * Whether every curator may see the credential.
 */
curator_public?: (boolean | null)
/**
 * The ids of the user groups that may use the credential.
 */
groups?: (number[] | null)
}
}
export interface CreateCredentialReply {
/**
 * The id of the new credential.
 */
id: number
credential: CredentialSnapshot
}
export interface GetCredentialInput {
path: {
/**
 * The id of the credential to read.
 */
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
/**
 * The id of the credential to change.
 */
credential_id: number
}
body: {
/**
 * A new name for the credential. Left out: the name stays.
 */
name?: string
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
/**
 * The id of the connector.
 */
connector_id: number
/**
 * The id of the credential.
 */
credential_id: number
}
body: {
/**
 * The name of the association.
 */
name?: (string | null)
/**
 * Settings for taking over the access rights of the source.
 */
auto_sync_options?: ({
[k: string]: unknown
} | null)
/**
 * The ids of the user groups that may see the indexed documents.
 */
groups?: (number[] | null)
/**
 * Not in the description; the running service takes it. None: public.
 */
access_type?: (AccessType | null)
}
}
export interface UnlinkCredentialInput {
path: {
/**
 * The id of the connector.
 */
connector_id: number
/**
 * The id of the credential.
 */
credential_id: number
}
}
export interface GetFileInput {
path: {
/**
 * The id of the file to read.
 */
file_id: string
}
}
export interface DeleteFileInput {
path: {
/**
 * The id of the file to delete.
 */
file_id: string
}
}
export interface DeleteFileReply {
/**
 * Whether the file is still linked to a project or an agent.
 */
has_associations: boolean
/**
 * The names of the projects that the file was linked to.
 */
project_names: string[]
/**
 * The names of the agents that the file was linked to.
 */
assistant_names: string[]
}
export interface DeleteTokenRateLimitInput {
path: {
/**
 * The id of the limit to delete.
 */
token_rate_limit_id: number
}
}
export interface GetPersonaInput {
path: {
/**
 * The id of the agent to read.
 */
persona_id: number
}
}
export interface UpdatePersonaInput {
path: {
/**
 * The id of the agent to change.
 */
persona_id: number
}
body: {
/**
 * The agent's name.
 */
name?: (string | null)
/**
 * What the agent is for.
 */
description?: (string | null)
/**
 * The instructions that every chat with the agent starts with.
 */
system_prompt?: (string | null)
/**
 * The instructions that are added to every message.
 */
task_prompt?: (string | null)
/**
 * The provider of the language model, in place of the default one.
 */
llm_model_provider_override?: (string | null)
/**
 * The language model, in place of the default one.
 */
llm_model_version_override?: (string | null)
/**
 * The id of the uploaded picture of the agent.
 */
uploaded_image_id?: (string | null)
/**
 * The icon that is shown where there is no picture.
 */
icon_name?: (string | null)
/**
 * The ids of the document sets that the agent searches.
 */
document_set_ids?: (number[] | null)
/**
 * The ids of the tools that the agent may call.
 */
tool_ids?: (number[] | null)
/**
 * The ids of the user groups that the agent is shared with.
 */
groups?: (number[] | null)
/**
 * The ids of the labels that the agent carries.
 */
label_ids?: (number[] | null)
/**
 * How many pieces of documents the agent gives the model for an answer.
 */
num_chunks?: (number | null)
/**
 * The agent's place in lists: lower numbers come first.
 */
display_priority?: (number | null)
/**
 * Whether every user may talk to the agent.
 */
is_public?: (boolean | null)
/**
 * Whether the model reads filters, such as a time range, from the question.
 */
llm_filter_extraction?: (boolean | null)
/**
 * Whether the model drops found documents that do not help.
 */
llm_relevance_filter?: (boolean | null)
/**
 * Whether the agent knows the current date and time.
 */
datetime_aware?: (boolean | null)
/**
 * Whether to remove the picture of the agent.
 */
remove_image?: (boolean | null)
/**
 * Whether the agent is offered to every user by default.
 */
is_default_persona?: (boolean | null)
/**
 * Whether system_prompt replaces the platform's own instructions, in place of adding to them.
 */
replace_base_system_prompt?: (boolean | null)
/**
 * Messages that a user can start a chat with.
 */
starter_messages?: (StarterMessage[] | null)
/**
 * The ids of the users whom the agent is shared with.
 */
users?: (string[] | null)
/**
 * The ids of the user files that the agent knows.
 */
user_file_ids?: (string[] | null)
/**
 * Documents older than this are not searched.
 */
search_start_date?: (string | null)
}
}
export interface DeletePersonaInput {
path: {
/**
 * The id of the agent to delete.
 */
persona_id: number
}
}
export interface ListProjectsInput {

}
export interface GetProjectDetailsInput {
path: {
/**
 * The id of the project.
 */
project_id: number
}
}
export interface GetProjectDetailsReply {
project: Project
/**
 * The files that are linked to the project.
 */
files: UserFile[]
/**
 * For each agent of the project's sessions, by its id, whether it is a default one.
 */
persona_id_to_is_default: {
[k: string]: boolean
}
}
export interface SetProjectInstructionsInput {
path: {
/**
 * The id of the project.
 */
project_id: number
}
body: {
/**
 * The instructions that every chat of the project is to start with.
 */
instructions: string
}
}
export interface SetProjectInstructionsReply {
/**
 * The instructions as stored.
 */
instructions: string
}
export interface LinkFileInput {
path: {
/**
 * The id of the project.
 */
project_id: number
/**
 * The id of the file to link.
 */
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
/**
 * The methods that the definition describes.
 */
methods: ToolMethod[]
}
export interface DeleteToolInput {
path: {
/**
 * The id of the custom tool to delete.
 */
tool_id: number
}
}
export interface InviteUsersInput {
body: {
/**
 * The email addresses to invite.
 */
emails: string[]
}
}
export interface DeleteUserInput {
body: {
/**
 * The email address of the user to delete.
 */
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
 * The URLs to read, at least one.
 * 
 * @minItems 1
 */
urls: [string, ...(string)[]]
}
}
export interface OpenUrlsReply {
/**
 * The pages that could be read.
 */
results: WebContent[]
/**
 * The provider that read the pages.
 */
provider_type: "service_web_crawler"
}
export interface ChatSessionsRow {
/**
 * Identifies the session.
 */
id: string
user_id: string
/**
 * The title that lists show. It may be empty.
 */
name: (string | null)
/**
 * When the session was created.
 */
time_created: string
/**
 * When the session last changed.
 */
time_updated: string
shared_status: SharedStatus
/**
 * The agent that the session talks to.
 */
persona_id: (number | null)
/**
 * The language model that the user chose for this session in place of the agent's.
 */
current_alternate_model: (string | null)
/**
 * The temperature that the user chose for this session: how freely the model words its answers.
 */
current_temperature_override: (number | null)
project_id: (number | null)
incognito: boolean
/**
 * Whether E4 has deleted it and keeps it (chat.deletion). Left out: no.
 */
deleted?: boolean
message_count: number
}
export interface ConnectorsRow {
/**
 * Identifies the connector.
 */
id: number
/**
 * The name that an administrator gave the connector.
 */
name: string
source: DocumentSource
input_type: InputType
connector_specific_config: CredentialJson
/**
 * When the connector was created.
 */
time_created: string
/**
 * When the connector last changed.
 */
time_updated: string
/**
 * Seconds between two indexing attempts.
 */
refresh_freq: (number | null)
/**
 * Seconds between two prunings.
 */
prune_freq: (number | null)
/**
 * Documents older than this are not indexed.
 */
indexing_start: (string | null)
}
export interface ConnectorCredentialsRow {
/**
 * Identifies the association of the connector with a credential.
 */
id: number
connector_id: number
credential_id: number
/**
 * The name of the association.
 */
name: (string | null)
access_type: AccessType
status: PairStatus
groups: number[]
auto_sync_options: ({
[k: string]: unknown
} | null)
/**
 * How many documents are indexed.
 */
docs_indexed: number
/**
 * When an attempt last succeeded.
 */
last_success: (string | null)
/**
 * Whether the latest attempts have failed one after the other.
 */
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
/**
 * Identifies the credential.
 */
id: number
credential_json: CredentialJson
/**
 * Whether every administrator may see the credential.
 */
admin_public: boolean
source: DocumentSource
/**
 * The name that people know the credential by.
 */
name: (string | null)
/**
 * Whether every curator may see the credential.
 */
curator_public: boolean
groups: Groups
/**
 * The owner. Null: it has none.
 */
user_id: (string | null)
/**
 * When the credential was stored.
 */
time_created: string
/**
 * When the credential last changed.
 */
time_updated: string
}
export interface UserFilesRow {
/**
 * Identifies the file.
 */
id: string
/**
 * The file's name.
 */
name: string
/**
 * The owner.
 */
user_id: string
/**
 * The id of the stored content.
 */
file_id: string
created_at: string
status: UserFileStatus
settles_at: (string | null)
settles_as: ("COMPLETED" | "FAILED" | "CANCELED")
/**
 * How often the file was read while PROCESSING; counted where files.lifecycle says so.
 */
reads: number
/**
 * When the file was last used.
 */
last_accessed_at: (string | null)
/**
 * The media type.
 */
file_type: (string | null)
chat_file_type: ChatFileType
/**
 * How many tokens the text has. Known when the file is processed.
 */
token_count: (number | null)
/**
 * How many pieces the text was split into for the search. Known when the file is processed.
 */
chunk_count: (number | null)
/**
 * The id that the client gave the file while uploading it.
 */
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
/**
 * Identifies the agent.
 */
id: number
/**
 * The agent's name.
 */
name: string
/**
 * What the agent is for.
 */
description: string
/**
 * Whether every user may talk to the agent.
 */
is_public: boolean
/**
 * Whether lists of agents show the agent.
 */
is_visible: boolean
/**
 * The id of the uploaded picture of the agent.
 */
uploaded_image_id: (string | null)
/**
 * The icon that is shown where there is no picture.
 */
icon_name: (string | null)
user_file_ids: string[]
/**
 * The agent's place in lists: lower numbers come first.
 */
display_priority: (number | null)
/**
 * Whether the agent is offered to every user by default.
 */
is_default_persona: boolean
/**
 * Whether the agent came with the platform.
 */
builtin_persona: boolean
/**
 * Messages that a user can start a chat with.
 */
starter_messages: (StarterMessage[] | null)
tool_ids: number[]
label_ids: number[]
owner_id: (string | null)
user_ids: string[]
groups: Groups2
document_set_ids: number[]
/**
 * The provider of the language model, in place of the default one.
 */
llm_model_provider_override: (string | null)
/**
 * The language model, in place of the default one.
 */
llm_model_version_override: (string | null)
/**
 * How many pieces of documents the agent gives the model for an answer.
 */
num_chunks: (number | null)
/**
 * Whether the model drops found documents that do not help.
 */
llm_relevance_filter: boolean
/**
 * Whether the model reads filters, such as a time range, from the question.
 */
llm_filter_extraction: boolean
/**
 * The instructions that every chat with the agent starts with.
 */
system_prompt: (string | null)
/**
 * The instructions that are added to every message.
 */
task_prompt: (string | null)
/**
 * Whether system_prompt replaces the platform's own instructions, in place of adding to them.
 */
replace_base_system_prompt: boolean
/**
 * Whether the agent knows the current date and time.
 */
datetime_aware: boolean
/**
 * Documents older than this are not searched. In the read response.
 */
search_start_date: (string | null)
}
/**
 * A label of agents (2.7).
 */
export interface LabelsRow {
/**
 * Identifies the label.
 */
id: number
/**
 * The label's text.
 */
name: string
}
export interface DocumentSetsRow {
/**
 * Identifies the document set.
 */
id: number
/**
 * The name of the document set.
 */
name: string
/**
 * What the document set contains.
 */
description: (string | null)
cc_pair_ids: number[]
/**
 * Whether the index has taken in the latest change of the set.
 */
is_up_to_date: boolean
/**
 * Whether every user may search the set.
 */
is_public: boolean
users: Users
groups: Groups1
federated_connector_summaries: FederatedConnectorSummaries
}
export interface ProjectsRow {
/**
 * Identifies the project.
 */
id: number
/**
 * The project's name.
 */
name: string
/**
 * What the project is for.
 */
description: (string | null)
/**
 * When the project was created.
 */
created_at: string
/**
 * The owner.
 */
user_id: string
/**
 * The instructions that every chat of the project starts with.
 */
instructions: (string | null)
}
export interface ProjectFilesRow {
id: number
project_id: number
user_file_id: string
linked_at: string
}
/**
 * A tool of an agent (2.8).
 */
export interface ToolsRow {
/**
 * Identifies the tool.
 */
id: number
/**
 * The name that the model calls the tool by.
 */
name: string
/**
 * What the tool does, for the model.
 */
description: string
/**
 * The name that people see.
 */
display_name: string
/**
 * The name in the platform's code. Only built-in tools have one.
 */
in_code_tool_id: (string | null)
/**
 * The OpenAPI document of a custom tool.
 */
definition: ({
[k: string]: unknown
} | null)
/**
 * Headers that are sent with each call of the tool.
 */
custom_headers: (CustomHeader[] | null)
/**
 * Whether the user's own sign-in is sent with each call.
 */
passthrough_auth: boolean
/**
 * The MCP server that offers the tool.
 */
mcp_server_id: (number | null)
/**
 * The user who made the tool.
 */
user_id: (string | null)
/**
 * The OAuth configuration that the tool signs in with.
 */
oauth_config_id: (number | null)
/**
 * The name of that OAuth configuration.
 */
oauth_config_name: (string | null)
/**
 * Whether agents may call the tool.
 */
enabled: boolean
/**
 * Whether users can switch the tool on in a chat.
 */
chat_selectable: boolean
/**
 * Whether the tool can be given to a new agent.
 */
agent_creation_selectable: boolean
/**
 * Whether new agents have the tool.
 */
default_enabled: boolean
}
export interface UsersRow {
/**
 * Identifies the user.
 */
id: string
key: string
/**
 * The user's email address.
 */
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
export interface Operations extends ControlOperations {
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
  updatePersona: { resource: 'personas'; input: UpdatePersonaInput; reply: Persona }
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
  labels: LabelsRow
  documentSets: DocumentSetsRow
  projects: ProjectsRow
  projectFiles: ProjectFilesRow
  tools: ToolsRow
  users: UsersRow
  invites: InvitesRow
}

/** What rows of every collection can be made as. */
export interface Traits {
  chatSessions: 'shared' | 'incognito' | 'empty'
  connectors: 'pushed'
  connectorCredentials: 'scheduled' | 'indexing' | 'refreshing' | 'imperfect' | 'failing' | 'paused' | 'invalid' | 'deleting'
  indexAttempts: 'waiting' | 'running' | 'failed' | 'imperfect' | 'canceled'
  credentials: 'private' | 'curated' | 'unnamed'
  userFiles: 'processing' | 'slow' | 'failing' | 'failed' | 'canceled' | 'deleting' | 'image'
  tokenRateLimits: 'disabled'
  personas: 'public' | 'shared' | 'featured' | 'hidden' | 'equipped'
  labels: never
  documentSets: 'private' | 'outdated' | 'federated'
  projects: 'filled'
  projectFiles: never
  tools: 'builtin' | 'mcp' | 'oauth' | 'disabled'
  users: 'admin' | 'curator' | 'inactive'
  invites: never
}

/** Every assumption and its choices. */
export interface Assumptions {
  'auth.unauthenticated': `401` | `403`
  'auth.scheme-case': `any` | `exact`
  'auth.cookie': `entered` | `any`
  'auth.unknown-token': `refused` | `admin`
  'auth.roles': `paths` | `admins` | `matrix` | `off`
  'auth.editing': `own` | `curators-too`
  'auth.order': `body-token-input` | `token-first`
  'errors.missing': `404` | `per-operation` | `403-foreign`
  'errors.unknown-path': `plain` | `stringified`
  'errors.wrong-method': `head-served` | `head-refused`
  'errors.unreadable-body': `400` | `422`
  'errors.wrong-host': `refused` | `served`
  'errors.validation-body': `detail` | `message`
  'errors.validation-dialect': `pydantic-2` | `pydantic-1`
  'errors.input-and-ctx': `chat-only` | `always`
  'requests.coercion': `strict` | `lax`
  'requests.unknown-fields': `reported` | `ignored` | `rejected`
  'requests.client-fields': `unknown` | `known`
  'requests.no-content-type': `json` | `text`
  'requests.repeated': `last` | `first`
  'requests.integers': `refused` | `rounded`
  'requests.whole-numbers': `accepted` | `refused`
  'requests.repeated-names': `last` | `refused`
  'requests.uuid-spelling': `any` | `canonical`
  'requests.times-without-offset': `utc` | `refused`
  'requests.unread-bodies': `ignored` | `refused`
  'requests.required': `listed` | `observed` | `fields:${string}`
  'requests.null': `refused` | `observed` | `accepted` | `fields:${string}`
  'responses.null': `omitted` | `null`
  'status-response.message': `sentence` | `null`
  'lists.order': `usual` | `reversed`
  'ids.new': `never` | `when-highest`
  'sources.values': `observed` | `named-seven` | `any`
  'shared-status.values': `observed` | `any`
  'cc-pair-status.values': `observed` | `any`
  'roles.values': `observed` | `any`
  'chat.list-query': `all` | `recent`
  'chat.times': `z` | `offset`
  'chat.search-query': `bounded` | `unbounded`
  'chat.search-scope': `all` | `no-project`
  'chat.search-match': `substring` | `stems`
  'chat.groups': `by-age` | `one`
  'chat.incognito': `accepted` | `refused`
  'chat.name': `as-given` | `tidied`
  'chat.shared-status': `private` | `public`
  'chat.persona-check': `404` | `400-and-403`
  'chat.hidden-persona': `refused` | `allowed`
  'chat.default-persona': `built-in` | `none`
  'chat.deletion': `removed` | `marked`
  'delete.body': `204` | `null` | `empty-object` | `status-response`
  'persona.patch': `partial` | `replace` | `defaults`
  'persona.search-start-date': `present` | `absent`
  'persona.display-priority': `changed` | `kept`
  'persona.visible-again': `unchanged` | `shown`
  'persona.num-chunks': `integer` | `number`
  'persona.references': `404` | `dropped`
  'persona.builtin': `editable` | `refused`
  'persona.unknown-id': `refused` | `created`
  'persona.builtin-deletion': `refused` | `allowed`
  'persona.visibility': `shared` | `everyone`
  'persona.image': `new` | `removed`
  'persona.default': `free` | `guarded`
  'persona.deletion': `default` | `kept`
  'credential.sharing': `anyone` | `curators`
  'credential.masking': `masked` | `plain`
  'credential.groups': `stored` | `not-shown`
  'credential.missing': `401` | `404` | `status-response`
  'connector.missing': `404` | `status-response`
  'connector.credential-ids': `all` | `visible`
  'credential.admin-list': `admin-public` | `visible`
  'credential.curator-list': `visible` | `all`
  'credential.open-sources': `checked` | `open`
  'credential.visibility': `flagged` | `admins-see-all`
  'credential.editable-query': `get_editable` | `ignored`
  'credential.private-key': `any-file` | `pkcs12`
  'credential.merge': `merged` | `replaced`
  'credential.file-encoding': `base64` | `hex`
  'credential.new-owner': `caller` | `unchanged`
  'pairing.repeated': `unsuccessful` | `successful`
  'pairing.names': `any` | `unique`
  'pairing.sources': `any` | `same`
  'pairing.absent': `404` | `unsuccessful`
  'pairing.removal': `up-to-date` | `outdated`
  'pairing.data': `association` | `connector` | `connector-when-repeated`
  'pairing.removed-data': `connector` | `credential`
  'pairing.access-type': `public` | `private`
  'pairing.first-attempt': `scheduled` | `none`
  'indexing.operator-name': `docs_count_operator` | `docs_count_comparison`
  'indexing.filters': `both` | `value-alone`
  'indexing.name-filter': `part` | `whole`
  'indexing.secondary': `its-attempts` | `same`
  'indexing.visibility': `not-private` | `all`
  'indexing.summary': `found` | `page` | `source`
  'indexing.active': `active` | `not-stopped`
  'indexing.paging': `omit-empty` | `keep-empty`
  'indexing.source': `accepted` | `unknown`
  'indexing.lifecycle': `clock` | `manual`
  'indexing.refresh': `by-refresh-freq` | `never`
  'indexing.federated': `three-fields` | `omitted`
  'indexing.federated-filters': `name-only` | `every`
  'document-set.entities': `stored` | `empty`
  'tool.custom-headers': `key-value` | `free`
  'upload.zip': `expanded` | `expanded-or-400` | `stored`
  'upload.zip-entries': `dotted` | `dotted-and-macos` | `all`
  'upload.zips': `one` | `one-or-400` | `several`
  'upload.folders': `left-out` | `kept`
  'upload.same-names': `kept` | `once`
  'web.content': `generated` | `blank`
  'web.private-addresses': `left-out` | `answered`
  'web.citation-number': `minus-one` | `position`
  'web.blank-urls': `dropped` | `refused`
  'web.same-urls': `each` | `once`
  'web.limit': `1000` | `none`
  'tool.definition': `400` | `422`
  'tool.builtin': `refused` | `deleted`
  'tool.deletion': `removed` | `refused`
  'projects.trailing-slash': `redirected` | `served`
  'projects.failed-files': `listed` | `hidden`
  'projects.default-map': `is-default` | `is-built-in`
  'files.project-id': `linked` | `null`
  'files.temp-id': `stored` | `null`
  'files.times': `z` | `naive`
  'files.linkable': `any-status` | `usable-only`
  'files.lifecycle': `clock` | `immediate` | `after-${number}-reads` | `manual`
  'files.counts': `when-finished` | `always`
  'files.last-accessed': `never` | `read`
  'files.deletion': `unlinked` | `refused`
  'files.deletion-report': `now` | `before`
  'files.assistants': `agents` | `none`
  'files.deleting': `readable` | `hidden` | `removed`
  'files.deletion-again': `accepted` | `missing`
  'invites.invalid': `400` | `422`
  'invites.count': `list-size` | `new`
  'invites.case': `same` | `different`
  'invites.registered': `invited` | `left-out`
  'invites.addresses': `checked` | `any`
  'users.delete-active': `deleted` | `refused`
  'users.deletion': `all` | `some-stay`
  'users.address-case': `any` | `exact`
  'limits.upload': `standard` | `none` | `files:${number},total:${number},json:${number},entries:${number},unpacked:${number}`
  'limits.rate': `none`
  'limits.text': `standard` | `none`
  'events': `none`
  'versioning': `none`
}

/** Why a request may be refused; each operation's contract has those that it knows. */
export type Reason =
  | 'active'
  | 'another-sandbox'
  | 'bad-address'
  | 'bad-definition'
  | 'bad-file'
  | 'bad-file-id'
  | 'bad-file-name'
  | 'bad-json'
  | 'bad-key-type'
  | 'bad-metadata'
  | 'bad-prefer'
  | 'bad-sandbox'
  | 'broken-off'
  | 'bug'
  | 'builtin'
  | 'cannot-verify'
  | 'changed-row'
  | 'changed-since'
  | 'control-token-needed'
  | 'control-token-wrong'
  | 'corrupt-zip'
  | 'default-by-user'
  | 'default-not-public'
  | 'default-sandbox'
  | 'deleted-already'
  | 'elsewhere'
  | 'engine-away'
  | 'exposed'
  | 'fallback-loop'
  | 'forbidden'
  | 'foreign'
  | 'foreign-origin'
  | 'foreign-page'
  | 'forgotten-moment'
  | 'full-sandbox'
  | 'idle-sandbox'
  | 'in-use'
  | 'incognito-off'
  | 'lost-sandbox'
  | 'missing'
  | 'no-scenes'
  | 'node-needed'
  | 'not-associated'
  | 'not-json'
  | 'not-kept'
  | 'not-linkable'
  | 'not-owner'
  | 'not-ready'
  | 'not-shared'
  | 'oneself'
  | 'other-source'
  | 'outcome-unknown'
  | 'rate-limited'
  | 'read-only'
  | 'referenced-row'
  | 'sandboxes-in-use'
  | 'scenario-failed'
  | 'second-zip'
  | 'session-needed'
  | 'taken-id'
  | 'taken-name'
  | 'taken-row'
  | 'too-few-copies'
  | 'too-large'
  | 'too-many-new'
  | 'too-many-overrides'
  | 'too-many-sandboxes'
  | 'too-many-scenarios'
  | 'too-many-snapshots'
  | 'too-many-urls'
  | 'unauthenticated'
  | 'unknown-moment'
  | 'unknown-name'
  | 'unknown-operation'
  | 'unknown-path'
  | 'unknown-peer'
  | 'unknown-persona'
  | 'unknown-project'
  | 'unknown-reference'
  | 'unknown-request'
  | 'unknown-row'
  | 'unknown-session'
  | 'unreadable-body'
  | 'unsupported-encoding'
  | 'uploads-full'
  | 'wrong-host'
  | 'wrong-method'
