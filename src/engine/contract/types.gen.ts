// Printed from contracts/ by npm run build. Do not edit.
/**
 * Processes that gave no answer in time. Absent if there is only this process.
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
export type EnterSandboxReply = null
export type GetMetricsReply = string
export type EndAgentReply = null
export type StreamEventsReply = string

export interface ControlSchemas {
Health: Health
ShadowReport: ShadowReport
ShadowAnswer: ShadowAnswer
Cluster: Cluster
Summary: Summary
State: State
RowList: RowList
CollectionInfo: CollectionInfo
RowField: RowField
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
Deletion: Deletion
Suggestion: Suggestion
JournalEntry: JournalEntry
AnswerSource: AnswerSource
JournalFilter: JournalFilter
JournalList: JournalList
WaitingRequest: WaitingRequest
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
GetHealthInput: GetHealthInput
GetHealthReply: Health
EnterSandboxInput: EnterSandboxInput
EnterSandboxReply: EnterSandboxReply
GetClusterInput: GetClusterInput
GetClusterReply: Cluster
GetShadowInput: GetShadowInput
GetShadowReply: ShadowReport
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
UndoChangeInput: UndoChangeInput
UndoChangeReply: UndoChangeReply
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
 * What a mock with --shadow has compared with its service so far.
 */
export interface ShadowReport {
/**
 * The service; null if there is none.
 */
url: (string | null)
/**
 * By operation.
 */
operations: {
/**
 * Its id.
 */
operation: string
/**
 * How many calls were compared.
 */
calls: number
/**
 * How many of them have the same answer.
 */
same: number
/**
 * The latest calls whose answers differ, and one whose answers are the same; newest first.
 */
latest: {
/**
 * Method and URL.
 */
request: string
service: ShadowAnswer
mock: ShadowAnswer
/**
 * What was made of the difference.
 */
notes: string[]
}[]
}[]
}
/**
 * An answer, without secrets.
 */
export interface ShadowAnswer {
/**
 * Its status.
 */
status: number
/**
 * Its body. Absent: it has none.
 */
body?: unknown
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
 * Where others reach it; null if it is the only process.
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
 * Where others reach it; null if it is the only process.
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
 * Answered changes that the engine has lost, as far as the processes that run have noticed. Absent if there is only this process.
 */
lost_entries?: number
/**
 * Why the engine keeps no changes now; null: it does. Absent if there is only this process.
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
 * The seed of all generated values.
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
 * The seed of all generated values.
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
 * The words for a row and for several, if the name has others.
 */
label?: string[]
/**
 * How the status of a row changes with the clock or by hand.
 */
lifecycle?: {
/**
 * The field with the status, or with the one at the end of the lifecycle.
 */
field: string
/**
 * The statuses in their order: from one stage, a row moves to a status of the next.
 */
stages: string[][]
}
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
 * The operations that set a status of a row, such as `POST /orders/{id}/cancel`.
 */
actions?: {
/**
 * Its id.
 */
operation: string
/**
 * The field that it sets.
 */
field: string
/**
 * The value, such as `cancelled`.
 */
value: (string | boolean)
}[]
/**
 * The fields of a row.
 */
fields: RowField[]
}
/**
 * A field of a row, or of an object in one.
 */
export interface RowField {
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
/**
 * The fields of an object, if its schema lists them.
 */
fields?: RowField[]
/**
 * The items of a list, described as one field.
 */
items?: RowField
}
/**
 * A row in progress, such as a file: its status, and its next change by the clock (`at`) or after some more reads (`reads_left`). Without either it stays as it is.
 */
export interface Lifecycle {
/**
 * The collection of the row.
 */
collection: string
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
 * What it is about, as a heading of a list.
 */
area?: string
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
 * The seed of all generated values.
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
 * Whether the request follows the contract.
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
 * Whether all checks passed. Nothing checked: no check could be made.
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
 * The name of the row, if it has one.
 */
name?: string
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
 * How a row was deleted.
 */
export interface Deletion {
/**
 * The collection of the row.
 */
collection: string
/**
 * The id.
 */
id: (string | number)
/**
 * The name of the row, if it had one.
 */
name?: string
/**
 * The real time.
 */
real_time: string
/**
 * The id of the exchange that deleted the row.
 */
request?: string
/**
 * The moment of the control call that deleted it, such as m12. program: a program.
 */
control?: string
/**
 * The method and path of that control call.
 */
call?: string
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
 * When it was answered, by the clock of the sandbox.
 */
time: string
/**
 * When it was answered, by the clock of the machine.
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
 * The test that sent the request: its X-Test-Case or X-Schemathesis-TestCaseId.
 */
test_case?: string
/**
 * What sent the request, by its User-Agent, such as `Chrome 130`, `curl 8.1` or `node`. Absent: it does not say.
 */
client?: string
/**
 * Why the request was refused.
 */
refusal?: string
/**
 * What was wrong with the request, if it was refused with 422, or would have been without a forced answer. A forced 422 has none.
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
 * A request's id, for later exchanges, or an ISO 8601 time, for those from then on.
 */
since?: string
/**
 * The X-Test-Case or X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or `nobody`: no user.
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
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic client:curl source:invented override:o1 touched:personas/4, and free words. All must match.
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
dropped?: number
/**
 * How many of those broke the contract.
 */
dropped_violations?: number
/**
 * How many of those were refused with 422.
 */
dropped_refused?: number
/**
 * The requests that match and that an override, the weather or Prefer delays, newest first: the latest hundred. Absent: there are none.
 */
waiting?: WaitingRequest[]
}
/**
 * A request that waits for its delayed answer. It is not in the journal yet.
 */
export interface WaitingRequest {
/**
 * Its id while it waits: w1, w2 and so on.
 */
id: string
/**
 * The HTTP method.
 */
method: string
/**
 * The path and query of the request.
 */
url: string
/**
 * The id of the operation. Null: none was found.
 */
operation: (string | null)
/**
 * The key of the user, if it is known already.
 */
user: (string | null)
/**
 * The id of the override that delays it, or Prefer.
 */
override: string
/**
 * When it arrived, by the clock of the machine.
 */
real_time: string
/**
 * When it is to be answered, by the clock of the machine.
 */
until: string
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
 * When it was answered, by the clock of the sandbox.
 */
time: string
/**
 * When it was answered, by the clock of the machine.
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
 * The test that sent the request: its X-Test-Case or X-Schemathesis-TestCaseId.
 */
test_case?: string
/**
 * What sent the request, by its User-Agent, such as `Chrome 130`, `curl 8.1` or `node`. Absent: it does not say.
 */
client?: string
/**
 * Why the request was refused.
 */
refusal?: string
/**
 * What was wrong with the request, if it was refused with 422, or would have been without a forced answer. A forced 422 has none.
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
source?: AnswerSource
/**
 * The operation whose rule answered or refused. Null: no rule ran.
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
 * Whether the check passed.
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
 * Of a refused request: the deletions of the rows that it looked for and did not find.
 */
deletions?: Deletion[]
/**
 * Of an answer by an override: what that was, as far as the history of the sandbox goes.
 */
forced_by?: {
override: OverrideEntry
/**
 * The moment from which it was there.
 */
at: string
added_by?: HistoryMoment
/**
 * Whether it is still there.
 */
in_force: boolean
}
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
 * Its method and path, such as PATCH /__mock/state/labels/7.
 */
call: string
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
collection: string
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
 * The moment of the control call that changed it, such as m12. time: only the clock. program: a program.
 */
control?: string
/**
 * The method and path of that control call.
 */
call?: string
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
 * Sandboxes that are only in the engine, or in a process that gave no answer. Absent if there is only this process.
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
export interface GetShadowInput {

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
query: {
/**
 * Its part of the OpenAPI document. Default: only what a call needs.
 */
full?: boolean
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
 * The token of another user, who is not an administrator.
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
 * The journal and the coverage stay, and the numbers of requests continue. Without this they start again.
 */
keep_journal?: boolean
}
body: {
/**
 * The fixture set that the sandbox starts from: empty, demo, large, awkward, or your own.
 */
fixtures?: string
/**
 * The seed of all generated values.
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
/**
 * Operations of `--api` without an effect on rows, or one `part` of them by `name`, and why.
 */
not_understood?: {
/**
 * Its id.
 */
operation: string
/**
 * Absent: the operation as a whole.
 */
part?: ("query" | "request-header" | "response-header" | "body")
/**
 * The parameter, the header or the media type.
 */
name?: string
/**
 * The reason, as a sentence.
 */
why: string
}[]
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
export interface UndoChangeInput {
path: {
/**
 * The moment that the change led to.
 */
id: string
}
}
export interface UndoChangeReply {
/**
 * The moment whose change was undone.
 */
undone: string
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
 * Whether uploaded files are given by size and digest, or in full. Left out: digest. Zips are always whole.
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
 * A request's id, for later exchanges, or an ISO 8601 time, for those from then on.
 */
since?: string
/**
 * The X-Test-Case or X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or `nobody`: no user.
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
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic client:curl source:invented override:o1 touched:personas/4, and free words. All must match.
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
 * A request's id, for later exchanges, or an ISO 8601 time, for those from then on.
 */
since?: string
/**
 * The X-Test-Case or X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or `nobody`: no user.
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
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic client:curl source:invented override:o1 touched:personas/4, and free words. All must match.
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
 * The X-Test-Case or X-Schemathesis-TestCaseId of the request.
 */
test_case?: string
/**
 * The key of the user, or `nobody`: no user.
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
 * Terms such as status:>=400 -method:GET took:>100 op:getPersona user:basic client:curl source:invented override:o1 touched:personas/4, and free words. All must match.
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
 * Whether calls of the control API that may change something are sent too, as `control`, with their operation. `waiting` says that a request begins or ends to wait for a delayed answer.
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

/** Every operation: its resource, what its rule gets and what it returns. */
export interface Operations {
  getHealth: { resource: 'control'; input: GetHealthInput; reply: Health }
  enterSandbox: { resource: 'control'; input: EnterSandboxInput; reply: EnterSandboxReply }
  getCluster: { resource: 'control'; input: GetClusterInput; reply: Cluster }
  getShadow: { resource: 'control'; input: GetShadowInput; reply: ShadowReport }
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
  undoChange: { resource: 'control'; input: UndoChangeInput; reply: UndoChangeReply }
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
  'delete.body': `204` | `null` | `empty-object` | `status-response`
  'upload.zip': `expanded` | `expanded-or-400` | `stored`
  'upload.zip-entries': `dotted` | `dotted-and-macos` | `all`
  'upload.zips': `one` | `one-or-400` | `several`
  'upload.folders': `left-out` | `kept`
  'upload.same-names': `kept` | `once`
  'limits.upload': `standard` | `none` | `files:${number},total:${number},json:${number},entries:${number},unpacked:${number}`
  'limits.rate': `none`
  'limits.text': `standard` | `none`
}

/** Why a request may be refused; each operation's contract has those that it knows. */
export type Reason =
  | 'another-sandbox'
  | 'bad-prefer'
  | 'bad-sandbox'
  | 'broken-off'
  | 'bug'
  | 'cannot-verify'
  | 'changed-row'
  | 'changed-since'
  | 'control-token-needed'
  | 'control-token-wrong'
  | 'default-sandbox'
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
  | 'lost-sandbox'
  | 'no-scenes'
  | 'node-needed'
  | 'not-json'
  | 'not-kept'
  | 'not-ready'
  | 'outcome-unknown'
  | 'rate-limited'
  | 'referenced-row'
  | 'sandboxes-in-use'
  | 'scenario-failed'
  | 'session-needed'
  | 'taken-name'
  | 'taken-row'
  | 'too-few-copies'
  | 'too-large'
  | 'too-many-new'
  | 'too-many-overrides'
  | 'too-many-sandboxes'
  | 'too-many-scenarios'
  | 'too-many-snapshots'
  | 'unauthenticated'
  | 'unknown-moment'
  | 'unknown-name'
  | 'unknown-operation'
  | 'unknown-path'
  | 'unknown-peer'
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
