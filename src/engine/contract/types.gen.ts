// Printed from contracts/ by npm run build. Do not edit.
import type { UploadedFile } from './message/body.js'
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
 * Processes that gave no answer in time. Absent if the process is alone.
 */
export type Silent = {
/**
 * A process.
 */
node: string
/**
 * Why it is not known what it has.
 */
reason: string
}[]
/**
 * A time, or `now` for the running real time.
 */
export type Moment = (string | "now")
/**
 * What happens to the connection instead of an answer.
 */
export type Fault = ("CONNECTION_RESET_BY_PEER" | "EMPTY_RESPONSE" | "MALFORMED_RESPONSE_CHUNK" | "RANDOM_DATA_THEN_CLOSE")
/**
 * flaky: one request in five fails. slow: every answer is delayed. rate-limited: half of the requests get a 429. degrading: answers get slower and then fail. fair: no weather.
 */
export type WeatherProfile = ("flaky" | "slow" | "rate-limited" | "degrading" | "fair")
/**
 * The nearest operations, if none matches the request.
 */
export type NearMisses = NearMiss[]
/**
 * How to correct the request, if it broke the contract.
 */
export type Advice = {
/**
 * The place in the request.
 */
loc: (string | number)[]
/**
 * What the contract says of this place.
 */
says?: string
/**
 * A value that the contract takes there.
 */
value?: unknown
/**
 * Whether the field is to be left out.
 */
remove?: boolean
}[]
/**
 * What gave an answer. `invented`: its body was made from a schema.
 */
export type AnswerSource = ("rule" | "collection" | "example" | "invented" | "override" | "page" | "fallback" | "refusal" | "control")
/**
 * After an exchange (r12), at a moment of GET /__mock/history (m12), or so many milliseconds later (m12.3200).
 */
export type MomentId = string
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
export type EnterSandboxReply = null
export type GetMetricsReply = string
export type EndAgentReply = null
export type StreamEventsReply = string

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
ValidationItem: ValidationItem
ChatValidationItem: ChatValidationItem
ChatValidationError: ChatValidationError
ConnectorSnapshot: ConnectorSnapshot
IndexingSummary: IndexingSummary
ConnectorIndexingStatus: ConnectorIndexingStatus
FederatedConnectorStatus: FederatedConnectorStatus
IndexingStatusGroup: IndexingStatusGroup
FileUploadResult: FileUploadResult
Health: Health
Cluster: Cluster
Summary: Summary
State: State
RowList: RowList
CollectionInfo: CollectionInfo
Lifecycle: Lifecycle
SnapshotInfo: SnapshotInfo
Moment: Moment
ClockState: ClockState
AssumptionEntry: AssumptionEntry
AssumptionList: AssumptionList
Delay: Delay
Fault: Fault
Match: Match
NewOverride: NewOverride
OverrideTurn: OverrideTurn
OverrideEntry: OverrideEntry
OverrideList: OverrideList
WeatherProfile: WeatherProfile
WeatherChange: WeatherChange
Weather: Weather
ClockChange: ClockChange
Expectation: Expectation
Counts: Counts
ScenarioStart: ScenarioStart
Call: Call
CallAnswer: CallAnswer
OperationList: OperationList
RequestCheck: RequestCheck
OverrideCheck: OverrideCheck
Har: Har
Verification: Verification
ScenarioStep: ScenarioStep
Scenario: Scenario
ScenarioPlayed: ScenarioPlayed
SceneShown: SceneShown
ScenarioList: ScenarioList
NearMiss: NearMiss
ChangedRows: ChangedRows
RowChange: RowChange
Touch: Touch
Suggestion: Suggestion
JournalEntry: JournalEntry
AnswerSource: AnswerSource
JournalFilter: JournalFilter
JournalList: JournalList
JournalMessage: JournalMessage
JournalDetail: JournalDetail
Coverage: Coverage
MomentId: MomentId
StatusChange: StatusChange
RowHistory: RowHistory
HistoryMoment: HistoryMoment
History: History
SandboxInfo: SandboxInfo
SandboxList: SandboxList
Done: Done
Problem: Problem
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
GetHealthInput: GetHealthInput
GetHealthReply: Health
EnterSandboxInput: EnterSandboxInput
EnterSandboxReply: EnterSandboxReply
GetClusterInput: GetClusterInput
GetClusterReply: Cluster
GetMetricsInput: GetMetricsInput
GetMetricsReply: GetMetricsReply
GetOpenapiInput: GetOpenapiInput
GetOpenapiReply: GetOpenapiReply
ListOperationsInput: ListOperationsInput
ListOperationsReply: OperationList
GetOperationInput: GetOperationInput
GetOperationReply: GetOperationReply
CallOperationInput: CallOperationInput
CallOperationReply: CallAnswer
CheckCallInput: CheckCallInput
CheckCallReply: RequestCheck
VerifyServerInput: VerifyServerInput
VerifyServerReply: Verification
AnswerAgentInput: AnswerAgentInput
AnswerAgentReply: AnswerAgentReply
EndAgentInput: EndAgentInput
EndAgentReply: EndAgentReply
ResetSandboxInput: ResetSandboxInput
ResetSandboxReply: Summary
GetStateInput: GetStateInput
GetStateReply: State
ReplaceStateInput: ReplaceStateInput
ReplaceStateReply: Summary
ListRowsInput: ListRowsInput
ListRowsReply: RowList
AddRowInput: AddRowInput
AddRowReply: AddRowReply
GetRowInput: GetRowInput
GetRowReply: GetRowReply
GetRowHistoryInput: GetRowHistoryInput
GetRowHistoryReply: RowHistory
ReplaceRowInput: ReplaceRowInput
ReplaceRowReply: ReplaceRowReply
ChangeRowInput: ChangeRowInput
ChangeRowReply: ChangeRowReply
RemoveRowInput: RemoveRowInput
RemoveRowReply: Done
ListCollectionsInput: ListCollectionsInput
ListCollectionsReply: ListCollectionsReply
MoveRowInput: MoveRowInput
MoveRowReply: MoveRowReply
ListLifecyclesInput: ListLifecyclesInput
ListLifecyclesReply: ListLifecyclesReply
GetHistoryInput: GetHistoryInput
GetHistoryReply: History
GoBackInput: GoBackInput
GoBackReply: Summary
ListSnapshotsInput: ListSnapshotsInput
ListSnapshotsReply: ListSnapshotsReply
TakeSnapshotInput: TakeSnapshotInput
TakeSnapshotReply: SnapshotInfo
RestoreSnapshotInput: RestoreSnapshotInput
RestoreSnapshotReply: Summary
DeleteSnapshotInput: DeleteSnapshotInput
DeleteSnapshotReply: Done
GetClockInput: GetClockInput
GetClockReply: ClockState
SetClockInput: SetClockInput
SetClockReply: ClockState
GetAssumptionsInput: GetAssumptionsInput
GetAssumptionsReply: AssumptionList
ChangeAssumptionsInput: ChangeAssumptionsInput
ChangeAssumptionsReply: AssumptionList
ListOverridesInput: ListOverridesInput
ListOverridesReply: OverrideList
AddOverrideInput: AddOverrideInput
AddOverrideReply: OverrideEntry
CheckOverrideInput: CheckOverrideInput
CheckOverrideReply: OverrideCheck
ReplaceOverridesInput: ReplaceOverridesInput
ReplaceOverridesReply: OverrideList
DeleteOverridesInput: DeleteOverridesInput
DeleteOverridesReply: Done
GetOverrideInput: GetOverrideInput
GetOverrideReply: OverrideEntry
SwitchOverrideInput: SwitchOverrideInput
SwitchOverrideReply: OverrideEntry
DeleteOverrideInput: DeleteOverrideInput
DeleteOverrideReply: Done
ListScenariosInput: ListScenariosInput
ListScenariosReply: ScenarioList
PlayGivenInput: PlayGivenInput
PlayGivenReply: ScenarioPlayed
GetScenarioInput: GetScenarioInput
GetScenarioReply: Scenario
PlayScenarioInput: PlayScenarioInput
PlayScenarioReply: ScenarioPlayed
NextSceneInput: NextSceneInput
NextSceneReply: SceneShown
GetCapsuleInput: GetCapsuleInput
GetCapsuleReply: Scenario
GetWeatherInput: GetWeatherInput
GetWeatherReply: Weather
SetWeatherInput: SetWeatherInput
SetWeatherReply: Weather
ListRequestsInput: ListRequestsInput
ListRequestsReply: JournalList
GetRequestInput: GetRequestInput
GetRequestReply: JournalDetail
GetHarInput: GetHarInput
GetHarReply: Har
ClearRequestsInput: ClearRequestsInput
ClearRequestsReply: Done
RestoreRequestsInput: RestoreRequestsInput
RestoreRequestsReply: RestoreRequestsReply
GetCoverageInput: GetCoverageInput
GetCoverageReply: Coverage
StreamEventsInput: StreamEventsInput
StreamEventsReply: StreamEventsReply
ListSandboxesInput: ListSandboxesInput
ListSandboxesReply: SandboxList
DropSandboxesInput: DropSandboxesInput
DropSandboxesReply: Done
MakeSandboxInput: MakeSandboxInput
MakeSandboxReply: SandboxInfo
GetSandboxInput: GetSandboxInput
GetSandboxReply: SandboxInfo
DropSandboxInput: DropSandboxInput
DropSandboxReply: Done
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
 * What the problem was measured by, such as a limit. Empty where there is nothing to tell.
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
 * How the indexing of one connector-credential pair stands (2.10).
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
 * The state of the mock, and what it serves.
 */
export interface Health {
/**
 * Always ok if the mock answers.
 */
status: "ok"
/**
 * The version of this package.
 */
version: string
/**
 * The served contract.
 */
contract: {
/**
 * The version of the interface that the contract describes.
 */
version: string
/**
 * A digest of the contract's files.
 */
sha256: string
}
/**
 * Identifies this run of the mock.
 */
instance: string
}
/**
 * The processes that share the state.
 */
export interface Cluster {
/**
 * The process that answers. It is also in X-Mock-Node.
 */
node: string
/**
 * Where others reach it; null if it is alone.
 */
address: (string | null)
/**
 * The Redis that they share; null if there is none.
 */
engine: (string | null)
/**
 * What the names of their keys begin with; null if there is no Redis.
 */
prefix: (string | null)
/**
 * How long a process that has ended keeps its sandboxes from the others, in milliseconds; null if there is no Redis.
 */
lease_ms: (number | null)
/**
 * All processes.
 */
nodes: {
/**
 * A process.
 */
node: string
/**
 * Where others reach it; null if it is alone.
 */
address: (string | null)
/**
 * How many sandboxes it has. Absent if it gave no answer.
 */
owned?: number
/**
 * Answered changes that it found missing in the engine.
 */
lost_entries?: number
}[]
/**
 * How many replicas of the engine must have a change before it is answered.
 */
copies?: number
/**
 * Answered changes that the engine has lost, as far as the processes that run have noticed. Absent if the process is alone.
 */
lost_entries?: number
/**
 * Why the engine keeps no changes now; null: it does. Absent if the process is alone.
 */
problem?: (string | null)
/**
 * When the engine was last found empty, without the data that it had; null: never.
 */
emptied_at?: (string | null)
/**
 * How many sandboxes an engine lost before it came back empty. Requests for them are refused until they are reset.
 */
lost_sandboxes?: number
/**
 * When all sandboxes begin anew; null: never by themselves.
 */
resets_at?: (string | null)
silent?: Silent
}
/**
 * The contents of a sandbox after a reset, a restore or a new state: the number of rows by collection.
 */
export interface Summary {
/**
 * The fixture set that the sandbox starts from.
 */
fixtures: string
/**
 * The seed of all made-up values.
 */
seed: number
/**
 * The time of the sandbox.
 */
now: string
/**
 * The number of rows by collection.
 */
rows: {
[k: string]: number
}
}
/**
 * The platform's data in a sandbox. With `ids`, the identifiers used so far, a state that is put back continues exactly as this one would.
 */
export interface State {
/**
 * The fixture set that the sandbox starts from.
 */
fixtures?: string
/**
 * The seed of all made-up values.
 */
seed?: number
/**
 * The time of the sandbox.
 */
now?: string
/**
 * The last number used, by collection.
 */
ids?: {
[k: string]: number
}
/**
 * The collections, by name.
 */
collections: {
[k: string]: {
[k: string]: unknown
}[]
}
/**
 * Stored values that differ from the shown ones, by collection and id: fields that the clock has changed since, and whole rows that are gone.
 */
stored?: {
[k: string]: {
[k: string]: {
[k: string]: unknown
}
}
}
}
/**
 * Rows of one collection. `total` counts all matching rows.
 */
export interface RowList {
/**
 * The requested rows.
 */
rows: {
[k: string]: unknown
}[]
/**
 * The total number.
 */
total: number
/**
 * Stored values of these rows that differ from the shown ones, by id: fields that the clock has changed since.
 */
stored?: {
[k: string]: {
[k: string]: unknown
}
}
/**
 * Names of rows, by collection and id.
 */
names?: {
[k: string]: {
[k: string]: string
}
}
}
/**
 * A collection: the fields of its rows under the choices in force, and the collections that they refer to.
 */
export interface CollectionInfo {
/**
 * The name of the collection.
 */
name: string
/**
 * Its purpose.
 */
description: string
/**
 * Named sets of fields for new rows.
 */
traits: {
[k: string]: string
}
/**
 * The number of rows in the collection.
 */
rows: number
/**
 * The fields of a row.
 */
fields: {
/**
 * The name.
 */
name: string
/**
 * The JSON types of the field.
 */
types: string[]
/**
 * Whether the field is required.
 */
required: boolean
/**
 * The good values of the field.
 */
values?: string[]
/**
 * The format of a text, such as uuid.
 */
format?: string
/**
 * Its purpose.
 */
description?: string
/**
 * The collection that the field refers to.
 */
references?: string
}[]
}
/**
 * A file or an index attempt in progress: its status, and its next change by the clock (`at`) or after some more reads (`reads_left`). Without either it stays as it is.
 */
export interface Lifecycle {
/**
 * The collection of the row.
 */
collection: ("userFiles" | "indexAttempts")
/**
 * The id.
 */
id: (string | number)
/**
 * The name.
 */
name: string
/**
 * The status at this moment.
 */
status: string
/**
 * The next status. Null: it stays as it is.
 */
next: (string | null)
/**
 * The time of the change. Null: not by the clock.
 */
at: (string | null)
/**
 * The number of reads before the change.
 */
reads_left?: number
}
/**
 * A named snapshot.
 */
export interface SnapshotInfo {
/**
 * The name.
 */
name: string
/**
 * The time of the sandbox when the snapshot was made.
 */
now: string
/**
 * The number of rows in the snapshot.
 */
rows: number
}
/**
 * The time of a sandbox, and its speed.
 */
export interface ClockState {
/**
 * The time of the sandbox.
 */
now: string
/**
 * How fast the clock runs: 0 stops it, 1 is real time.
 */
speed: number
}
/**
 * An entry of the ledger with the choice in force.
 */
export interface AssumptionEntry {
/**
 * The id.
 */
id: string
/**
 * What the description leaves open.
 */
question: string
/**
 * The sections and operations of the description that leave it open.
 */
place: string[]
/**
 * What each choice does, by name.
 */
choices: {
[k: string]: string
}
/**
 * The choice of the profile documented.
 */
default: string
/**
 * The choice of the profile observed.
 */
observed: string
/**
 * Why this is the default.
 */
reason: string
/**
 * The choice in force.
 */
choice: string
/**
 * Whether it cannot be changed.
 */
fixed?: boolean
}
/**
 * The ledger.
 */
export interface AssumptionList {
/**
 * The assumptions of the ledger.
 */
assumptions: AssumptionEntry[]
}
/**
 * The delay of an answer, in milliseconds of real time.
 */
export interface Delay {
/**
 * The distribution of delays: constant, uniform, or mostly short.
 */
type: ("fixed" | "uniform" | "lognormal")
/**
 * The delay in milliseconds.
 */
milliseconds?: number
/**
 * The shortest delay in milliseconds.
 */
lower?: number
/**
 * The longest delay in milliseconds.
 */
upper?: number
/**
 * The median delay in milliseconds.
 */
median?: number
/**
 * How widely the delays vary.
 */
sigma?: number
/**
 * The longest delay in milliseconds.
 */
maxValue?: number
}
/**
 * The requests to match: each parameter listed here has this value, and the body is this value or has these fields. Default: all requests.
 */
export interface Match {
/**
 * Values of path parameters.
 */
path?: {
[k: string]: unknown
}
/**
 * Values of query parameters.
 */
query?: {
[k: string]: unknown
}
/**
 * Any JSON value.
 */
body?: unknown
}
/**
 * An answer for chosen requests.
 */
export interface NewOverride {
/**
 * The id of the operation, or * for any. Default: the operation is given by path.
 */
operation?: string
/**
 * The method of the path. GET includes HEAD. Default: any.
 */
method?: ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE")
/**
 * Any path, even without an operation. A segment {name} matches any segment.
 */
path?: string
match?: Match
/**
 * The status of the answer.
 */
status?: number
/**
 * Any JSON value.
 */
body?: unknown
/**
 * Headers of the answer, such as Retry-After.
 */
headers?: {
[k: string]: string
}
/**
 * The name of an example in the contract.
 */
example?: string
/**
 * Values that are sent one by one in the place of a body. Their form follows from the content type in headers. Default: application/x-ndjson.
 * 
 * @maxItems 10000
 * 
 * Items: Any JSON value.
 */
chunks?: unknown[]
/**
 * Milliseconds before the first value of a streamed answer.
 */
first?: number
/**
 * Milliseconds between two values of a streamed answer.
 */
every?: number
/**
 * The number of values after which the connection of a streamed answer breaks.
 */
cutAfter?: number
delay?: Delay
fault?: Fault
/**
 * The share of requests to answer: 0.2 is one in five, drawn from the sandbox's seed. Default: all.
 */
rate?: number
/**
 * An answer for each request in turn. The last one repeats.
 */
sequence?: OverrideTurn[]
/**
 * The number of requests to answer. Default: no limit.
 */
times?: number
/**
 * The id of an override that was read earlier. Default, or if it is in use: the next id.
 */
id?: string
/**
 * The number of requests it has answered. Default: 0.
 */
used?: number
/**
 * Follows from times and used. A given value is ignored.
 */
remaining?: number
/**
 * Whether it is switched off.
 */
off?: boolean
/**
 * Whether it comes from the file of --overrides.
 */
start?: boolean
weather?: WeatherProfile
}
/**
 * The answer to one request of a sequence. If it is empty, or has only a status below 300, the usual answer is given.
 */
export interface OverrideTurn {
/**
 * The status of the answer.
 */
status?: number
/**
 * Any JSON value.
 */
body?: unknown
/**
 * Headers of the answer, such as Retry-After.
 */
headers?: {
[k: string]: string
}
/**
 * The name of an example in the contract.
 */
example?: string
/**
 * Values that are sent one by one in the place of a body. Their form follows from the content type in headers. Default: application/x-ndjson.
 * 
 * @maxItems 10000
 * 
 * Items: Any JSON value.
 */
chunks?: unknown[]
/**
 * Milliseconds before the first value of a streamed answer.
 */
first?: number
/**
 * Milliseconds between two values of a streamed answer.
 */
every?: number
/**
 * The number of values after which the connection of a streamed answer breaks.
 */
cutAfter?: number
delay?: Delay
fault?: Fault
}
/**
 * An override, with its number of uses.
 */
export interface OverrideEntry {
/**
 * The id.
 */
id: string
/**
 * The id of the operation. Absent if path is given.
 */
operation?: string
/**
 * The method of the path. Absent: any.
 */
method?: string
/**
 * The path.
 */
path?: string
match?: Match
/**
 * The status of the answer.
 */
status?: number
/**
 * Any JSON value.
 */
body?: unknown
/**
 * Headers of the answer, such as Retry-After.
 */
headers?: {
[k: string]: string
}
/**
 * The name of an example in the contract.
 */
example?: string
/**
 * Values that are sent one by one in the place of a body. Their form follows from the content type in headers. Default: application/x-ndjson.
 * 
 * @maxItems 10000
 * 
 * Items: Any JSON value.
 */
chunks?: unknown[]
/**
 * Milliseconds before the first value of a streamed answer.
 */
first?: number
/**
 * Milliseconds between two values of a streamed answer.
 */
every?: number
/**
 * The number of values after which the connection of a streamed answer breaks.
 */
cutAfter?: number
delay?: Delay
fault?: Fault
/**
 * The share of requests to answer. Absent: all.
 */
rate?: number
/**
 * An answer for each request in turn. The last one repeats.
 */
sequence?: OverrideTurn[]
/**
 * The number of requests to answer. Default: no limit.
 */
times?: number
/**
 * The number of requests it will still answer.
 */
remaining?: number
/**
 * The number of requests it has answered.
 */
used: number
/**
 * Whether it is switched off.
 */
off?: boolean
/**
 * Whether it comes from the file of --overrides.
 */
start?: boolean
weather?: WeatherProfile
}
/**
 * The overrides of a sandbox. The newest is tried first.
 */
export interface OverrideList {
/**
 * The overrides, the newest first.
 */
overrides: OverrideEntry[]
}
/**
 * The weather from now on.
 */
export interface WeatherChange {
profile: WeatherProfile
}
/**
 * The weather of a sandbox, with its overrides.
 */
export interface Weather {
profile: WeatherProfile
/**
 * Its overrides.
 */
overrides: OverrideEntry[]
}
/**
 * The new time and speed of the clock.
 */
export interface ClockChange {
now?: Moment
/**
 * Milliseconds, or a text such as 2h.
 */
advance?: unknown
/**
 * How fast the clock runs: 0 stops it, 1 is real time.
 */
speed?: number
}
/**
 * What an answer must have. Objects may have more fields; lists must have the same length.
 */
export interface Expectation {
/**
 * The status. 0: the connection broke. Default: any status below 400.
 */
status?: number
/**
 * Any JSON value.
 */
body?: unknown
}
/**
 * How far the counters of a sandbox are, if it does not begin at the start.
 */
export interface Counts {
/**
 * How many random numbers were drawn.
 */
chance?: number
/**
 * How many overrides were made.
 */
overrides?: number
}
/**
 * The start to which the sandbox is reset. Missing fields have the values of the mock's start.
 */
export interface ScenarioStart {
/**
 * The fixture set: empty, demo, large, awkward, or your own.
 */
fixtures?: string
/**
 * The seed of all made-up values.
 */
seed?: number
/**
 * The factor for the number of rows: at most 10, or that of --scale if it is higher.
 */
scale?: number
now?: Moment
counts?: Counts
/**
 * With now: the moment that the dates of the fixtures are relative to. Left out: now.
 */
dated?: string
/**
 * The profile of the assumptions.
 */
profile?: ("documented" | "observed")
/**
 * Choices by assumption.
 */
assume?: {
[k: string]: string
}
}
/**
 * A call of an operation, or of any path.
 */
export interface Call {
/**
 * The id of an operation. Without it, give method and url.
 */
operation?: string
/**
 * The method, if there is no operation.
 */
method?: string
/**
 * Path and query, if there is no operation.
 */
url?: string
/**
 * The key of the calling user. Default: admin. Null: no token is sent.
 */
user?: (string | null)
path?: Path
query?: Query
headers?: Headers
/**
 * Any JSON value. A file is { x-file: { name, type, text, base64 or size } }.
 */
body?: unknown
/**
 * The literal body, instead of body.
 */
text?: string
/**
 * A literal body of bytes that are not text.
 */
base64?: string
}
/**
 * Values of path parameters.
 */
export interface Path {
[k: string]: unknown
}
/**
 * Values of query parameters.
 */
export interface Query {
[k: string]: unknown
}
/**
 * More headers, such as Prefer.
 */
export interface Headers {
[k: string]: string
}
/**
 * What came back of a call. The status is 0 where a fault broke the connection.
 */
export interface CallAnswer {
/**
 * The HTTP status.
 */
status: number
/**
 * The headers of the answer.
 */
headers: {
[k: string]: string
}
/**
 * The body: JSON as its value, all else as a text.
 */
body?: unknown
}
/**
 * The operations of the interface, and those of your own.
 */
export interface OperationList {
/**
 * The operations.
 */
operations: {
/**
 * The id.
 */
id: string
/**
 * The HTTP method.
 */
method: string
/**
 * The path.
 */
path: string
/**
 * What it does.
 */
summary: string
/**
 * Your own document that it is from.
 */
document?: string
}[]
}
/**
 * What the contract says of a request that was not sent.
 */
export interface RequestCheck {
/**
 * The id of the operation. Null: none was found.
 */
operation: (string | null)
/**
 * Whether the request keeps the contract.
 */
held: boolean
/**
 * Why it would be refused.
 */
problems: {
[k: string]: unknown
}[]
/**
 * What would be let through, but reported.
 */
violations: string[]
near_misses?: NearMisses
advice?: Advice
corrected?: Corrected
}
/**
 * A documented operation close to the request, with its distance from 0 (equal) to 1, and what to change.
 */
export interface NearMiss {
/**
 * The id of the operation.
 */
operation: string
/**
 * The HTTP method.
 */
method: string
/**
 * The path of the operation.
 */
path: string
/**
 * The distance between the request and the operation, from 0 to 1.
 */
distance: number
/**
 * The difference, in words.
 */
difference: string
}
/**
 * The request with all of this advice, if it then keeps the contract.
 */
export interface Corrected {
/**
 * The path and query.
 */
url: string
/**
 * Any JSON value.
 */
body?: unknown
}
/**
 * What the contract says of the answers of an override that was not added.
 */
export interface OverrideCheck {
/**
 * What breaks the contract in its answers.
 */
violations: string[]
/**
 * What the contract does not know, and so does not check.
 */
notes: string[]
}
/**
 * Exchanges as an HTTP Archive 1.2, which browsers and test tools read.
 */
export interface Har {
/**
 * The archive.
 */
log: {
/**
 * The version of the format.
 */
version: "1.2"
/**
 * This package.
 */
creator: {
/**
 * The name.
 */
name: string
/**
 * The version of this package.
 */
version: string
}
/**
 * The exchanges, oldest first, without secrets.
 */
entries: {
[k: string]: unknown
}[]
}
}
/**
 * What a verification found.
 */
export interface Verification {
/**
 * Whether all checks held. Nothing checked: no check could be made.
 */
outcome: ("held" | "broken" | "nothing checked")
/**
 * How many checks found the contract broken.
 */
findings: number
/**
 * What was found, for people: each finding with what was expected, what came, and a curl command that repeats it.
 */
report: string
}
/**
 * One action: create, call, control, clock, override, weather, assume, lifecycle or snapshot.
 */
export interface ScenarioStep {
/**
 * Makes rows.
 */
create?: {
/**
 * The collection of the rows.
 */
collection: string
/**
 * The given fields of the rows. The mock makes the others.
 */
part?: {
[k: string]: unknown
}
/**
 * A trait of the collection, or several.
 */
trait?: (string | [string, ...(string)[]])
/**
 * The number of rows. Default: one, and the result is that row.
 */
count?: number
}
/**
 * Calls an operation, or any path.
 */
call?: {
/**
 * The id of an operation. Without it, give method and url.
 */
operation?: string
/**
 * The method, if there is no operation.
 */
method?: string
/**
 * Path and query, if there is no operation.
 */
url?: string
/**
 * The key of the calling user. Default: admin. Null: no token is sent.
 */
user?: (string | null)
path?: Path
query?: Query
headers?: Headers
/**
 * Any JSON value. A file is { x-file: { name, type, text, base64 or size } }.
 */
body?: unknown
/**
 * The literal body, instead of body.
 */
text?: string
/**
 * A literal body of bytes that are not text.
 */
base64?: string
expect?: Expectation
}
/**
 * Any other call of the control API.
 */
control?: {
/**
 * The id of an operation of the control API.
 */
operation: string
/**
 * Values of path parameters.
 */
path?: {
[k: string]: unknown
}
/**
 * Values of query parameters.
 */
query?: {
[k: string]: unknown
}
/**
 * Any JSON value.
 */
body?: unknown
expect?: Expectation
}
clock?: ClockChange
override?: NewOverride
weather?: WeatherChange
/**
 * Choices by assumption, from now on.
 */
assume?: {
[k: string]: string
}
/**
 * Moves a row to another status.
 */
lifecycle?: {
/**
 * The collection of the row.
 */
collection: string
/**
 * The id.
 */
id: (string | number)
/**
 * The new status of the row, or gone for a file.
 */
to: string
}
/**
 * Takes a snapshot, as a scene to go back to.
 */
snapshot?: {
/**
 * The name.
 */
name: string
/**
 * What this scene shows.
 */
note?: string
}
/**
 * The time that the clock shows for this step: it is stopped there. Left out: it stays as it is.
 */
at?: string
/**
 * A name for the result. Later steps use it: {file.id} is its field id.
 */
as?: string
/**
 * The purpose of the step.
 */
note?: string
}
/**
 * A situation: its start, and the steps that lead to it. Without a start, the steps continue from the current state.
 */
export interface Scenario {
/**
 * For editors: the address of the schema.
 */
$schema?: string
/**
 * The name. Default: the name of the file.
 */
name?: string
/**
 * What it shows.
 */
description?: string
start?: ScenarioStart
/**
 * The steps, in order.
 * 
 * @maxItems 100000
 */
steps: ScenarioStep[]
}
/**
 * The result of a scenario: the number of steps, its scenes, and the results of named steps.
 */
export interface ScenarioPlayed {
/**
 * The name.
 */
name: string
/**
 * The number of played steps.
 */
steps: number
/**
 * The snapshots that it made.
 */
scenes: {
/**
 * The name of the snapshot.
 */
name: string
/**
 * What the scene shows.
 */
note?: string
}[]
/**
 * The results of steps, by name.
 */
results: {
[k: string]: unknown
}
}
/**
 * A scene of a scenario that a sandbox shows now.
 */
export interface SceneShown {
/**
 * The scenario.
 */
scenario: string
/**
 * The snapshot that the scene is.
 */
name: string
/**
 * What the scene shows.
 */
note?: string
/**
 * Which scene it is, from 1.
 */
number: number
/**
 * How many scenes there are.
 */
of: number
}
/**
 * The scenarios that can be played by name.
 */
export interface ScenarioList {
/**
 * The scenarios.
 */
scenarios: {
/**
 * The name.
 */
name: string
/**
 * What it shows.
 */
description: string
/**
 * The number of its scenes.
 */
scenes: number
}[]
}
/**
 * How many rows of a collection an exchange changed.
 */
export interface ChangedRows {
/**
 * The collection of the rows.
 */
collection: string
/**
 * The number of new rows.
 */
added: number
/**
 * The number of changed rows.
 */
changed: number
/**
 * The number of removed rows.
 */
removed: number
}
/**
 * How an exchange changed a row. A new row has no `before`, a removed one no `after`; a changed one has only the fields that changed.
 */
export interface RowChange {
/**
 * The collection of the row.
 */
collection: string
/**
 * The id.
 */
id: (string | number)
/**
 * The fields before.
 */
before?: {
[k: string]: unknown
}
/**
 * The fields after.
 */
after?: {
[k: string]: unknown
}
}
/**
 * A row that an exchange read or wrote.
 */
export interface Touch {
/**
 * The collection of the row.
 */
collection: string
/**
 * The id.
 */
id: (string | number)
}
/**
 * A way to answer a request that the mock does not know.
 */
export interface Suggestion {
/**
 * What to add: an override of the path, your own operation, or a fallback service.
 */
do: ("override" | "operation" | "fallback")
/**
 * Instructions, in words.
 */
text: string
override?: NewOverride
/**
 * The operation, as an OpenAPI document.
 */
openapi?: {
[k: string]: unknown
}
}
/**
 * One exchange. `time` is the sandbox's time.
 */
export interface JournalEntry {
/**
 * The id of the exchange, as in X-Mock-Request-Id.
 */
id: string
/**
 * When the request came, by the clock of the sandbox.
 */
time: string
/**
 * When the request came, by the clock of the machine.
 */
real_time: string
/**
 * The id of the operation. Null: none was found.
 */
operation: (string | null)
/**
 * The HTTP method.
 */
method: string
/**
 * The path and query of the request.
 */
url: string
/**
 * The status of the response.
 */
status: number
/**
 * The duration in milliseconds.
 */
duration_ms: number
/**
 * The violations of the contract.
 */
violations: string[]
/**
 * The ledger ids that the response rests on.
 */
assumptions: string[]
/**
 * The key of the calling user.
 */
user: (string | null)
source?: AnswerSource
/**
 * How many rows of each collection changed, if any did.
 */
changed?: ChangedRows[]
/**
 * The id of the override that gave the answer.
 */
override?: string
/**
 * Whether the service of --fallback was asked.
 */
forwarded?: boolean
/**
 * What happened to the connection in place of an answer.
 */
fault?: string
/**
 * The id that a tool gave the request in X-Schemathesis-TestCaseId.
 */
test_case?: string
/**
 * Why the request was refused.
 */
refusal?: string
/**
 * What was wrong with the request, if it was refused with 422. A forced 422 has none.
 */
refused?: string[]
/**
 * The stack of a failure of the mock itself.
 */
failure?: string
near_misses?: NearMisses
/**
 * Ways to make the mock answer the request.
 */
suggestions?: Suggestion[]
}
/**
 * Which exchanges of the journal.
 */
export interface JournalFilter {
/**
 * The id of one exchange.
 */
id?: string
/**
 * An operation's id.
 */
operation?: string
/**
 * A status such as 422, or a class such as 4xx. 0: a fault broke the connection.
 */
status?: string
/**
 * A request's id or an ISO 8601 time. Only later exchanges are returned.
 */
since?: string
/**
 * The X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or nobody.
 */
user?: string
source?: AnswerSource
/**
 * An assumption that the response rests on.
 */
assumed?: string
/**
 * A collection of which rows changed.
 */
changed?: string
/**
 * Words in method and URL.
 */
q?: string
/**
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic source:invented touched:personas/4, and free words. All must hold.
 */
query?: string
/**
 * A text in a body, as the journal shows it.
 */
body?: string
/**
 * Whether anything broke the contract. Requests that were refused with 422 count.
 */
violations?: boolean
/**
 * Whether no operation matches the request.
 */
unmatched?: boolean
/**
 * The highest number of items to return.
 */
limit?: number
/**
 * The number of items to skip.
 */
offset?: number
}
/**
 * Exchanges, newest first; `total` counts all that match.
 */
export interface JournalList {
/**
 * The exchanges, newest first.
 */
requests: JournalEntry[]
/**
 * The total number.
 */
total: number
/**
 * How many older exchanges the journal has dropped to make room, whatever the filter.
 */
dropped: number
/**
 * How many of those broke the contract.
 */
dropped_violations: number
/**
 * How many of those were refused with 422.
 */
dropped_refused: number
}
/**
 * A request or response in the journal. `body` is its JSON or text. `omitted` gives the reason if it is missing.
 */
export interface JournalMessage {
/**
 * The headers, without secrets.
 */
headers: {
[k: string]: string
}
/**
 * Any JSON value.
 */
body?: unknown
/**
 * The values of an answer that was sent one by one.
 */
frames?: {
/**
 * The number of values that were sent.
 */
count: number
/**
 * How the answer ended: whole, cut by an override, by an error of the rule, or because the client left. Absent: it is still being sent.
 */
end?: ("whole" | "cut" | "error" | "gone")
/**
 * The first values, up to 64 KiB.
 */
values: {
/**
 * Milliseconds since the request came.
 */
at_ms: number
/**
 * Any JSON value.
 */
value: unknown
}[]
}
/**
 * Why the body is missing.
 */
omitted?: string
}
/**
 * One exchange explained.
 */
export interface JournalDetail {
/**
 * The id of the exchange, as in X-Mock-Request-Id.
 */
id: string
/**
 * When the request came, by the clock of the sandbox.
 */
time: string
/**
 * When the request came, by the clock of the machine.
 */
real_time: string
/**
 * The id of the operation. Null: none was found.
 */
operation: (string | null)
/**
 * The HTTP method.
 */
method: string
/**
 * The path and query of the request.
 */
url: string
/**
 * The status of the response.
 */
status: number
/**
 * The duration in milliseconds.
 */
duration_ms: number
/**
 * The violations of the contract.
 */
violations: string[]
/**
 * The ledger ids that the response rests on.
 */
assumptions: string[]
/**
 * How many rows of each collection changed, if any did.
 */
changed?: ChangedRows[]
/**
 * The id of the override that gave the answer.
 */
override?: string
/**
 * Whether the service of --fallback was asked.
 */
forwarded?: boolean
/**
 * What happened to the connection in place of an answer.
 */
fault?: string
/**
 * The id that a tool gave the request in X-Schemathesis-TestCaseId.
 */
test_case?: string
/**
 * Why the request was refused.
 */
refusal?: string
/**
 * What was wrong with the request, if it was refused with 422. A forced 422 has none.
 */
refused?: string[]
/**
 * The stack of a failure of the mock itself.
 */
failure?: string
/**
 * The nearest operations, if none matches the request.
 */
near_misses?: NearMiss[]
/**
 * Ways to make the mock answer the request.
 */
suggestions?: Suggestion[]
/**
 * The key of the calling user.
 */
user: (string | null)
/**
 * The rule that answered.
 */
rule?: (string | null)
request: JournalMessage
response: JournalMessage
/**
 * What was checked, in order.
 */
checks: {
/**
 * What was checked.
 */
check: ("request" | "response")
/**
 * Whether it held.
 */
held: boolean
/**
 * The problems.
 */
problems: {
[k: string]: unknown
}[]
}[]
/**
 * The assumptions, each with the choice that was in force.
 */
rests_on: {
/**
 * The id.
 */
id: string
/**
 * What the description leaves open.
 */
question: string
/**
 * The choice in force.
 */
choice: string
}[]
/**
 * The rows that were read.
 */
reads: Touch[]
/**
 * The rows that were written.
 */
writes: Touch[]
/**
 * How the written rows changed, without secrets.
 */
changes: RowChange[]
/**
 * The duration of each step in milliseconds.
 */
timing: {
[k: string]: number
}
advice?: Advice
corrected?: Corrected
}
/**
 * The parts of the interface that a sandbox's clients have used, and the assumptions that they rest on, the most used first.
 */
export interface Coverage {
/**
 * The operations.
 */
operations: {
/**
 * The id of the operation.
 */
operation: string
/**
 * The number of the operation in the description.
 */
code: string
/**
 * The HTTP method.
 */
method: string
/**
 * The path of the operation.
 */
path: string
/**
 * Whether the operation is covered.
 */
label: ("covered" | "not used")
/**
 * The statuses of the operation.
 */
statuses: {
/**
 * The HTTP status.
 */
status: number
/**
 * Whether the contract has the status, under the choices of the time when it was seen.
 */
documented: boolean
/**
 * How often it was seen.
 */
seen: number
/**
 * How many of the responses broke the contract.
 */
violations: number
}[]
}[]
/**
 * Requests without an operation.
 */
unknown: {
/**
 * The HTTP method.
 */
method: string
/**
 * The requested path.
 */
path: string
/**
 * How often it was seen.
 */
seen: number
}[]
/**
 * The assumptions that responses rested on, the most used first.
 */
assumptions: {
/**
 * The id.
 */
id: string
/**
 * What the description leaves open.
 */
question: string
/**
 * The choice in force.
 */
choice: string
/**
 * How many responses rest on it.
 */
uses: number
/**
 * The ids of the operations whose responses rested on it.
 */
operations: string[]
}[]
/**
 * The totals.
 */
summary: {
/**
 * The number of operations in the contract.
 */
operations: number
/**
 * The number of operations that were called.
 */
covered: number
/**
 * The number of exchanges that broke the contract.
 */
violations: number
}
}
/**
 * A change of status that came with time.
 */
export interface StatusChange {
/**
 * The id: the state at this change.
 */
id: string
/**
 * The collection of the row.
 */
collection: ("userFiles" | "indexAttempts")
/**
 * The id of the row.
 */
row: (string | number)
/**
 * The name.
 */
name: string
/**
 * The status before.
 */
from: string
/**
 * The status after.
 */
to: string
/**
 * The time of the sandbox.
 */
time: string
/**
 * The real time.
 */
real_time: string
}
/**
 * The changes of a row, newest first, as far as the history of the sandbox goes.
 */
export interface RowHistory {
/**
 * The changes.
 */
changes: {
/**
 * The time of the sandbox.
 */
at: string
/**
 * The real time.
 */
real_time: string
/**
 * The id of the exchange that changed the row.
 */
request?: string
/**
 * The moment of the control call that changed it, such as m12. time: the clock alone. program: a program.
 */
control?: string
/**
 * The row before. Null: there was none.
 */
before: ({
[k: string]: unknown
} | null)
/**
 * The row after. Null: it is gone.
 */
after: ({
[k: string]: unknown
} | null)
}[]
}
/**
 * A call of the control API that changed something.
 */
export interface HistoryMoment {
/**
 * The id: the state after this change.
 */
id: string
/**
 * The moment before it.
 */
before: string
/**
 * The operation of the control API.
 */
operation: string
/**
 * What its path names, such as labels 7.
 */
of: string
/**
 * The time of the sandbox after it.
 */
time: string
/**
 * The real time.
 */
real_time: string
/**
 * The id of the last exchange before it. Null: there was none.
 */
after_request: (string | null)
/**
 * How many rows of each collection were added, changed and removed. Missing if the whole state was replaced.
 */
changed?: ChangedRows[]
}
/**
 * How far back one can look, and the calls of the control API that changed something since.
 */
export interface History {
/**
 * The earliest moment that can be shown.
 */
earliest: string
/**
 * The latest moment: the state now.
 */
latest: string
/**
 * The first exchange of the journal whose state can be shown. Null: there is none.
 */
first_request: (string | null)
/**
 * The oldest first.
 */
moments: HistoryMoment[]
/**
 * The oldest first: the latest thousand.
 */
status_changes: StatusChange[]
}
/**
 * A sandbox: its real time of creation, its own time, and its numbers of requests and rows.
 */
export interface SandboxInfo {
/**
 * The name.
 */
name: string
/**
 * The time of creation.
 */
created_at: string
/**
 * The time of the sandbox.
 */
now: string
/**
 * How many requests the sandbox has answered.
 */
requests: number
/**
 * The number of rows in the sandbox.
 */
rows: number
}
/**
 * The sandboxes.
 */
export interface SandboxList {
/**
 * The sandboxes, of all processes.
 */
sandboxes: SandboxInfo[]
/**
 * How many there are that match.
 */
total: number
/**
 * Sandboxes that are in the engine alone, or in a process that gave no answer. Absent if the process is alone.
 */
asleep?: {
/**
 * How many there are.
 */
total: number
/**
 * At most 1000 of them, the most recently used first.
 */
sandboxes: {
/**
 * The name.
 */
name: string
/**
 * The real time of its last use, to about 15 seconds.
 */
used_at: string
}[]
}
silent?: Silent
}
/**
 * The result of a removal.
 */
export interface Done {
/**
 * The number of removed items.
 */
removed: number
}
/**
 * A wrong control request (RFC 9457). `errors` names each wrong field and its good values.
 */
export interface Problem {
/**
 * A URI for the kind of problem.
 */
type: string
/**
 * The kind of problem in words.
 */
title: string
/**
 * The HTTP status.
 */
status: number
/**
 * What is wrong, in one sentence.
 */
detail: string
/**
 * What is wrong, by field.
 */
errors?: {
/**
 * The field that is wrong.
 */
field: string
/**
 * What is wrong, in one sentence.
 */
detail: string
/**
 * The good values.
 */
allowed?: string[]
}[]
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
 * The owner. Null: nobody owns it.
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
 * What the document set holds.
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
 * What the tool does, as the model is told.
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
 * What every chat of the project is told first.
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
 * Whether the file was linked to a project or an agent.
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
 * What every chat of the project is to be told first.
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
export interface GetHealthInput {
query: {
/**
 * Whether to answer 503 until the mock is ready.
 */
ready?: boolean
}
}
export interface EnterSandboxInput {
query: {
/**
 * The key of a user. Default: admin.
 */
user?: string
/**
 * Instead of user: true signs the browser out. Its user is then that of --anonymous.
 */
anonymous?: boolean
/**
 * The sandbox of the browser. Default: none, so the token names no sandbox.
 */
sandbox?: string
/**
 * A scenario to play there first.
 */
scenario?: string
/**
 * The redirect target: a path of this host, or a URL whose origin --cors-origin lists. Default: /, under the path of a mount.
 */
to?: string
}
}
export interface GetClusterInput {

}
export interface GetMetricsInput {
query: {
/**
 * Only the process that answers.
 */
alone?: boolean
}
}
export interface GetOpenapiInput {
query: {
/**
 * Whether to include the control API.
 */
control?: boolean
}
}
export interface GetOpenapiReply {
[k: string]: unknown
}
export interface ListOperationsInput {

}
export interface GetOperationInput {
path: {
/**
 * The id of the operation.
 */
id: string
}
}
export interface GetOperationReply {
[k: string]: unknown
}
export interface CallOperationInput {
body: Call
}
export interface CheckCallInput {
body: Call
}
export interface VerifyServerInput {
body: {
/**
 * The base address of the server.
 */
url: string
/**
 * An administrator's token. Left out: that of this mock.
 */
token?: string
/**
 * The token of another user, who is no administrator.
 */
userToken?: string
/**
 * Ids or numbers, such as *Credential,E3. Left out: all.
 */
operations?: string
/**
 * Whether to make calls that change something. Left out: only calls that change nothing.
 */
mutating?: boolean
/**
 * What seeds the generated requests. Left out: 1.
 */
seed?: number
/**
 * Generated requests for each operation. Left out: 10.
 */
cases?: number
}
}
export interface AnswerAgentInput {
body: {
/**
 * The version of JSON-RPC.
 */
jsonrpc: "2.0"
[k: string]: unknown
}
}
export interface AnswerAgentReply {
[k: string]: unknown
}
export interface EndAgentInput {

}
export interface ResetSandboxInput {
query: {
/**
 * The journal and the coverage stay, and the numbers of requests go on. Without this they begin anew.
 */
keep_journal?: boolean
}
body: {
/**
 * The fixture set that the sandbox starts from: empty, demo, large, awkward, or your own.
 */
fixtures?: string
/**
 * The seed of all made-up values.
 */
seed?: number
/**
 * The factor for the number of rows: at most 10, or that of --scale if it is higher.
 */
scale?: number
now?: Moment
counts?: Counts
/**
 * With now: the moment that the dates of the fixtures are relative to. Left out: now.
 */
dated?: string
}
}
export interface GetStateInput {
query: {
/**
 * Whether times are relative to now, such as -2h, for a file of fixtures.
 */
relative?: boolean
at?: MomentId
}
}
export interface ReplaceStateInput {
body: State
}
export interface ListRowsInput {
path: {
/**
 * The collection of the row.
 */
collection: ("users" | "personas" | "tools" | "documentSets" | "labels" | "chatSessions" | "credentials" | "connectors" | "connectorCredentials" | "indexAttempts" | "projects" | "projectFiles" | "userFiles" | "invites" | "tokenRateLimits")
}
query: {
/**
 * The highest number of items to return.
 */
limit?: number
/**
 * The number of items to skip.
 */
offset?: number
/**
 * A text that a value of the rows must contain. Names of fields do not count.
 */
q?: string
/**
 * The field to sort by; with - before it in descending order.
 */
sort?: string
/**
 * A JSON object of fields and texts: {"name": "frost", "status": "=FAILED"}. Each field must contain its text, or be it after =. A reference also contains the name of its row.
 */
where?: string
/**
 * Whether to add the names of the rows, and of the rows that they refer to.
 */
names?: boolean
at?: MomentId
}
}
export interface AddRowInput {
path: {
/**
 * The collection of the row.
 */
collection: ("users" | "personas" | "tools" | "documentSets" | "labels" | "chatSessions" | "credentials" | "connectors" | "connectorCredentials" | "indexAttempts" | "projects" | "projectFiles" | "userFiles" | "invites" | "tokenRateLimits")
}
query: {
/**
 * The number of rows to create. The answer is then { rows }.
 */
count?: number
/**
 * A trait of the collection, or several: slow,failing.
 */
trait?: string
}
body: {
[k: string]: unknown
}
}
export interface AddRowReply {
[k: string]: unknown
}
export interface GetRowInput {
path: {
/**
 * The collection of the row.
 */
collection: ("users" | "personas" | "tools" | "documentSets" | "labels" | "chatSessions" | "credentials" | "connectors" | "connectorCredentials" | "indexAttempts" | "projects" | "projectFiles" | "userFiles" | "invites" | "tokenRateLimits")
/**
 * The id.
 */
id: string
}
query: {
/**
 * Whether to show the stored row, which the clock may have changed since.
 */
stored?: boolean
at?: MomentId
}
}
export interface GetRowReply {
[k: string]: unknown
}
export interface GetRowHistoryInput {
path: {
/**
 * The collection of the row.
 */
collection: ("users" | "personas" | "tools" | "documentSets" | "labels" | "chatSessions" | "credentials" | "connectors" | "connectorCredentials" | "indexAttempts" | "projects" | "projectFiles" | "userFiles" | "invites" | "tokenRateLimits")
/**
 * The id.
 */
id: string
}
}
export interface ReplaceRowInput {
path: {
/**
 * The collection of the row.
 */
collection: ("users" | "personas" | "tools" | "documentSets" | "labels" | "chatSessions" | "credentials" | "connectors" | "connectorCredentials" | "indexAttempts" | "projects" | "projectFiles" | "userFiles" | "invites" | "tokenRateLimits")
/**
 * The id.
 */
id: string
}
body: {
[k: string]: unknown
}
}
export interface ReplaceRowReply {
[k: string]: unknown
}
export interface ChangeRowInput {
path: {
/**
 * The collection of the row.
 */
collection: ("users" | "personas" | "tools" | "documentSets" | "labels" | "chatSessions" | "credentials" | "connectors" | "connectorCredentials" | "indexAttempts" | "projects" | "projectFiles" | "userFiles" | "invites" | "tokenRateLimits")
/**
 * The id.
 */
id: string
}
body: {
[k: string]: unknown
}
}
export interface ChangeRowReply {
[k: string]: unknown
}
export interface RemoveRowInput {
path: {
/**
 * The collection of the row.
 */
collection: ("users" | "personas" | "tools" | "documentSets" | "labels" | "chatSessions" | "credentials" | "connectors" | "connectorCredentials" | "indexAttempts" | "projects" | "projectFiles" | "userFiles" | "invites" | "tokenRateLimits")
/**
 * The id.
 */
id: string
}
}
export interface ListCollectionsInput {
query: {
at?: MomentId
}
}
export interface ListCollectionsReply {
/**
 * The collections, by name.
 */
collections: CollectionInfo[]
}
export interface MoveRowInput {
path: {
/**
 * The collection of the row.
 */
collection: string
/**
 * The id.
 */
id: string
}
body: {
/**
 * The new status of the row, or gone for a file.
 */
to: string
}
}
export interface MoveRowReply {
[k: string]: unknown
}
export interface ListLifecyclesInput {
query: {
/**
 * The highest number of items to return.
 */
limit?: number
at?: MomentId
}
}
export interface ListLifecyclesReply {
/**
 * The time of the sandbox.
 */
now: string
/**
 * The rows that change by themselves.
 */
lifecycles: Lifecycle[]
/**
 * The total number.
 */
total: number
}
export interface GetHistoryInput {
query: {
/**
 * A moment. Only later ones are returned.
 */
since?: string
}
}
export interface GoBackInput {
path: {
id: MomentId
}
query: {
/**
 * The clock has run on since that moment, as it would have without what came after. Without this it shows that moment.
 */
elapsed?: boolean
}
}
export interface ListSnapshotsInput {

}
export interface ListSnapshotsReply {
/**
 * The snapshots.
 */
snapshots: SnapshotInfo[]
}
export interface TakeSnapshotInput {
path: {
/**
 * The name.
 */
name: string
}
body: {
/**
 * How fast the clock runs once the snapshot is restored. Left out: as it runs now.
 */
speed?: number
}
}
export interface RestoreSnapshotInput {
path: {
/**
 * The name.
 */
name: string
}
}
export interface DeleteSnapshotInput {
path: {
/**
 * The name.
 */
name: string
}
}
export interface GetClockInput {
query: {
at?: MomentId
}
}
export interface SetClockInput {
body: ClockChange
}
export interface GetAssumptionsInput {
query: {
/**
 * A text that a value of the entry, or the name of a choice, must contain.
 */
q?: string
at?: MomentId
}
}
export interface ChangeAssumptionsInput {
body: {
[k: string]: string
}
}
export interface ListOverridesInput {
query: {
at?: MomentId
}
}
export interface AddOverrideInput {
body: NewOverride
}
export interface CheckOverrideInput {
body: NewOverride
}
export interface ReplaceOverridesInput {
body: (NewOverride[] | {
/**
 * The overrides. A plain list works too.
 */
overrides: NewOverride[]
})
}
export interface DeleteOverridesInput {

}
export interface GetOverrideInput {
path: {
/**
 * The id.
 */
id: string
}
}
export interface SwitchOverrideInput {
path: {
/**
 * The id.
 */
id: string
}
body: {
/**
 * Whether it is switched off.
 */
off: boolean
}
}
export interface DeleteOverrideInput {
path: {
/**
 * The id.
 */
id: string
}
}
export interface ListScenariosInput {

}
export interface PlayGivenInput {
body: Scenario
}
export interface GetScenarioInput {
path: {
/**
 * The name.
 */
name: string
}
}
export interface PlayScenarioInput {
path: {
/**
 * The name.
 */
name: string
}
query: {
/**
 * If the scenario begins with a reset, journal and coverage stay, as with a reset that keeps them.
 */
keep_journal?: boolean
}
}
export interface NextSceneInput {
path: {
/**
 * The name of the scenario.
 */
name: string
}
query: {
/**
 * If the scenario begins with a reset, journal and coverage stay, as with a reset that keeps them.
 */
keep_journal?: boolean
}
}
export interface GetCapsuleInput {
query: {
/**
 * Whether uploaded files are told by size and digest, or whole. Left out: digest. Zips are always whole.
 */
uploads?: ("digest" | "whole")
/**
 * An exchange: the scenario leads to the state that it met, and ends with its request. Left out: it leads to now.
 */
exchange?: string
}
}
export interface GetWeatherInput {

}
export interface SetWeatherInput {
body: WeatherChange
}
export interface ListRequestsInput {
/**
 * Which exchanges of the journal.
 */
query: {
/**
 * The id of one exchange.
 */
id?: string
/**
 * An operation's id.
 */
operation?: string
/**
 * A status such as 422, or a class such as 4xx. 0: a fault broke the connection.
 */
status?: string
/**
 * A request's id or an ISO 8601 time. Only later exchanges are returned.
 */
since?: string
/**
 * The X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or nobody.
 */
user?: string
source?: AnswerSource
/**
 * An assumption that the response rests on.
 */
assumed?: string
/**
 * A collection of which rows changed.
 */
changed?: string
/**
 * Words in method and URL.
 */
q?: string
/**
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic source:invented touched:personas/4, and free words. All must hold.
 */
query?: string
/**
 * A text in a body, as the journal shows it.
 */
body?: string
/**
 * Whether anything broke the contract. Requests that were refused with 422 count.
 */
violations?: boolean
/**
 * Whether no operation matches the request.
 */
unmatched?: boolean
/**
 * The highest number of items to return.
 */
limit?: number
/**
 * The number of items to skip.
 */
offset?: number
}
}
export interface GetRequestInput {
path: {
/**
 * The id.
 */
id: string
}
}
export interface GetHarInput {
/**
 * Which exchanges of the journal.
 */
query: {
/**
 * The id of one exchange.
 */
id?: string
/**
 * An operation's id.
 */
operation?: string
/**
 * A status such as 422, or a class such as 4xx. 0: a fault broke the connection.
 */
status?: string
/**
 * A request's id or an ISO 8601 time. Only later exchanges are returned.
 */
since?: string
/**
 * The X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or nobody.
 */
user?: string
source?: AnswerSource
/**
 * An assumption that the response rests on.
 */
assumed?: string
/**
 * A collection of which rows changed.
 */
changed?: string
/**
 * Words in method and URL.
 */
q?: string
/**
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic source:invented touched:personas/4, and free words. All must hold.
 */
query?: string
/**
 * A text in a body, as the journal shows it.
 */
body?: string
/**
 * Whether anything broke the contract. Requests that were refused with 422 count.
 */
violations?: boolean
/**
 * Whether no operation matches the request.
 */
unmatched?: boolean
/**
 * The highest number of items to return.
 */
limit?: number
/**
 * The number of items to skip.
 */
offset?: number
}
}
export interface ClearRequestsInput {

}
export interface RestoreRequestsInput {

}
export interface RestoreRequestsReply {
/**
 * How many there are.
 */
restored: number
}
export interface GetCoverageInput {
query: {
at?: MomentId
}
}
export interface StreamEventsInput {
query: {
/**
 * An operation's id.
 */
operation?: string
/**
 * A status such as 422, or a class such as 4xx. 0: a fault broke the connection.
 */
status?: string
/**
 * A request's id or an ISO 8601 time. Later exchanges are sent first. Last-Event-ID takes precedence.
 */
since?: string
/**
 * The X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or nobody.
 */
user?: string
source?: AnswerSource
/**
 * An assumption that the response rests on.
 */
assumed?: string
/**
 * A collection of which rows changed.
 */
changed?: string
/**
 * Words in method and URL.
 */
q?: string
/**
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic source:invented touched:personas/4, and free words. All must hold.
 */
query?: string
/**
 * A text in a body, as the journal shows it.
 */
body?: string
/**
 * Whether anything broke the contract. Requests that were refused with 422 count.
 */
violations?: boolean
/**
 * Whether no operation matches the request.
 */
unmatched?: boolean
/**
 * Milliseconds. So often at most, the latest exchange is sent, and no others.
 */
every?: number
/**
 * Whether calls of the control API that may change something are sent too, as `control`, with their operation.
 */
control?: boolean
}
}
export interface ListSandboxesInput {
query: {
/**
 * The highest number of items to return. Left out: 1000.
 */
limit?: number
/**
 * The number of items to skip.
 */
offset?: number
/**
 * A text that the name must contain.
 */
q?: string
}
}
export interface DropSandboxesInput {

}
export interface MakeSandboxInput {
body: {
/**
 * The name.
 */
name: string
/**
 * The sandbox to copy. Default: the start fixtures.
 */
from?: string
at?: MomentId
}
}
export interface GetSandboxInput {
path: {
/**
 * The name.
 */
name: string
}
}
export interface DropSandboxInput {
path: {
/**
 * The name.
 */
name: string
}
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
 * The owner. Null: nobody owns it.
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
 * What the document set holds.
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
 * What every chat of the project is told first.
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
 * What the tool does, as the model is told.
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
  getHealth: { resource: 'control'; input: GetHealthInput; reply: Health }
  enterSandbox: { resource: 'control'; input: EnterSandboxInput; reply: EnterSandboxReply }
  getCluster: { resource: 'control'; input: GetClusterInput; reply: Cluster }
  getMetrics: { resource: 'control'; input: GetMetricsInput; reply: GetMetricsReply }
  getOpenapi: { resource: 'control'; input: GetOpenapiInput; reply: GetOpenapiReply }
  listOperations: { resource: 'control'; input: ListOperationsInput; reply: OperationList }
  getOperation: { resource: 'control'; input: GetOperationInput; reply: GetOperationReply }
  callOperation: { resource: 'control'; input: CallOperationInput; reply: CallAnswer }
  checkCall: { resource: 'control'; input: CheckCallInput; reply: RequestCheck }
  verifyServer: { resource: 'control'; input: VerifyServerInput; reply: Verification }
  answerAgent: { resource: 'control'; input: AnswerAgentInput; reply: AnswerAgentReply }
  endAgent: { resource: 'control'; input: EndAgentInput; reply: EndAgentReply }
  resetSandbox: { resource: 'control'; input: ResetSandboxInput; reply: Summary }
  getState: { resource: 'control'; input: GetStateInput; reply: State }
  replaceState: { resource: 'control'; input: ReplaceStateInput; reply: Summary }
  listRows: { resource: 'control'; input: ListRowsInput; reply: RowList }
  addRow: { resource: 'control'; input: AddRowInput; reply: AddRowReply }
  getRow: { resource: 'control'; input: GetRowInput; reply: GetRowReply }
  getRowHistory: { resource: 'control'; input: GetRowHistoryInput; reply: RowHistory }
  replaceRow: { resource: 'control'; input: ReplaceRowInput; reply: ReplaceRowReply }
  changeRow: { resource: 'control'; input: ChangeRowInput; reply: ChangeRowReply }
  removeRow: { resource: 'control'; input: RemoveRowInput; reply: Done }
  listCollections: { resource: 'control'; input: ListCollectionsInput; reply: ListCollectionsReply }
  moveRow: { resource: 'control'; input: MoveRowInput; reply: MoveRowReply }
  listLifecycles: { resource: 'control'; input: ListLifecyclesInput; reply: ListLifecyclesReply }
  getHistory: { resource: 'control'; input: GetHistoryInput; reply: History }
  goBack: { resource: 'control'; input: GoBackInput; reply: Summary }
  listSnapshots: { resource: 'control'; input: ListSnapshotsInput; reply: ListSnapshotsReply }
  takeSnapshot: { resource: 'control'; input: TakeSnapshotInput; reply: SnapshotInfo }
  restoreSnapshot: { resource: 'control'; input: RestoreSnapshotInput; reply: Summary }
  deleteSnapshot: { resource: 'control'; input: DeleteSnapshotInput; reply: Done }
  getClock: { resource: 'control'; input: GetClockInput; reply: ClockState }
  setClock: { resource: 'control'; input: SetClockInput; reply: ClockState }
  getAssumptions: { resource: 'control'; input: GetAssumptionsInput; reply: AssumptionList }
  changeAssumptions: { resource: 'control'; input: ChangeAssumptionsInput; reply: AssumptionList }
  listOverrides: { resource: 'control'; input: ListOverridesInput; reply: OverrideList }
  addOverride: { resource: 'control'; input: AddOverrideInput; reply: OverrideEntry }
  checkOverride: { resource: 'control'; input: CheckOverrideInput; reply: OverrideCheck }
  replaceOverrides: { resource: 'control'; input: ReplaceOverridesInput; reply: OverrideList }
  deleteOverrides: { resource: 'control'; input: DeleteOverridesInput; reply: Done }
  getOverride: { resource: 'control'; input: GetOverrideInput; reply: OverrideEntry }
  switchOverride: { resource: 'control'; input: SwitchOverrideInput; reply: OverrideEntry }
  deleteOverride: { resource: 'control'; input: DeleteOverrideInput; reply: Done }
  listScenarios: { resource: 'control'; input: ListScenariosInput; reply: ScenarioList }
  playGiven: { resource: 'control'; input: PlayGivenInput; reply: ScenarioPlayed }
  getScenario: { resource: 'control'; input: GetScenarioInput; reply: Scenario }
  playScenario: { resource: 'control'; input: PlayScenarioInput; reply: ScenarioPlayed }
  nextScene: { resource: 'control'; input: NextSceneInput; reply: SceneShown }
  getCapsule: { resource: 'control'; input: GetCapsuleInput; reply: Scenario }
  getWeather: { resource: 'control'; input: GetWeatherInput; reply: Weather }
  setWeather: { resource: 'control'; input: SetWeatherInput; reply: Weather }
  listRequests: { resource: 'control'; input: ListRequestsInput; reply: JournalList }
  getRequest: { resource: 'control'; input: GetRequestInput; reply: JournalDetail }
  getHar: { resource: 'control'; input: GetHarInput; reply: Har }
  clearRequests: { resource: 'control'; input: ClearRequestsInput; reply: Done }
  restoreRequests: { resource: 'control'; input: RestoreRequestsInput; reply: RestoreRequestsReply }
  getCoverage: { resource: 'control'; input: GetCoverageInput; reply: Coverage }
  streamEvents: { resource: 'control'; input: StreamEventsInput; reply: StreamEventsReply }
  listSandboxes: { resource: 'control'; input: ListSandboxesInput; reply: SandboxList }
  dropSandboxes: { resource: 'control'; input: DropSandboxesInput; reply: Done }
  makeSandbox: { resource: 'control'; input: MakeSandboxInput; reply: SandboxInfo }
  getSandbox: { resource: 'control'; input: GetSandboxInput; reply: SandboxInfo }
  dropSandbox: { resource: 'control'; input: DropSandboxInput; reply: Done }
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

/** The reply of an operation that deletes; see delete.body. */
export interface Deleted {
  deleted: true
  id: number | null
}
