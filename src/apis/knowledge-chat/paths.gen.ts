// Printed from contracts/ by npm run build. Do not edit.
import type * as types from './types.gen.js'
type Operations = types.Operations
/** A form as it is sent: files are binary. */
type Sent<Value> = Value extends types.File ? string : Value extends (infer Item)[] ? Sent<Item>[] : Value
type Form<Body> = { [Field in keyof Body]: Sent<Body[Field]> }
interface NoParameters { query?: never; header?: never; path?: never; cookie?: never }
type Headers = { [name: string]: unknown }
/** The operations by path and method, in the shape of openapi-typescript. */
export interface paths {
  '/api/chat/create-chat-session': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': Operations['createChatSession']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': Operations['createChatSession']['reply'] } }; 400: { headers: Headers; content: { 'application/json': types.Detail } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ChatValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/chat/get-user-chat-sessions': {
    parameters: NoParameters
    get: { parameters: { query?: Operations['listChatSessions']['input']['query']; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['listChatSessions']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ChatValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/chat/search': {
    parameters: NoParameters
    get: { parameters: { query?: Operations['searchChats']['input']['query']; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['searchChats']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ChatValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/chat/delete-chat-session/{session_id}': {
    parameters: NoParameters
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: Operations['deleteChatSession']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': null } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ChatValidationError } } } }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/persona/{persona_id}': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path: Operations['getPersona']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': types.ReadPersona } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: Operations['deletePersona']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': null } }; 400: { headers: Headers; content: { 'application/json': types.Detail } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    options?: never
    head?: never
    patch: { parameters: { query?: never; header?: never; path: Operations['updatePersona']['input']['path']; cookie?: never }; requestBody: { content: { 'application/json': Operations['updatePersona']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': types.Persona } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    trace?: never
  }
  '/api/manage/credential': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': Operations['createCredential']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': Operations['createCredential']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/credential/{credential_id}': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path: Operations['getCredential']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': types.CredentialSnapshot | types.StatusResponse } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/admin/credential': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['listCredentials']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/admin/similar-credentials/{source_type}': {
    parameters: NoParameters
    get: { parameters: { query?: Operations['listSimilarCredentials']['input']['query']; header?: never; path: Operations['listSimilarCredentials']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['listSimilarCredentials']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/admin/credential/private-key/{credential_id}': {
    parameters: NoParameters
    get?: never
    put: { parameters: { query?: never; header?: never; path: Operations['replacePrivateKey']['input']['path']; cookie?: never }; requestBody: { content: { 'multipart/form-data': Form<Operations['replacePrivateKey']['input']['body']> } }; responses: { 200: { headers: Headers; content: { 'application/json': types.CredentialBase } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/connector/{connector_id}/credential/{credential_id}': {
    parameters: NoParameters
    get?: never
    put: { parameters: { query?: never; header?: never; path: Operations['linkCredential']['input']['path']; cookie?: never }; requestBody: { content: { 'application/json': Operations['linkCredential']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': types.StatusResponse } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    post?: never
    delete: { parameters: { query?: never; header?: never; path: Operations['unlinkCredential']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': types.StatusResponse } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/connector/{connector_id}': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path: Operations['getConnector']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': types.ConnectorSnapshot | types.StatusResponse } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/admin/connector/indexing-status': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': Operations['getIndexingStatus']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': Operations['getIndexingStatus']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/admin/connector/file/upload': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'multipart/form-data': Form<Operations['uploadConnectorFiles']['input']['body']> } }; responses: { 200: { headers: Headers; content: { 'application/json': types.FileUploadResult } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/web-search/open-urls': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': Operations['openUrls']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': Operations['openUrls']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/tool/custom/validate': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': Operations['validateTool']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': Operations['validateTool']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/tool/custom/{tool_id}': {
    parameters: NoParameters
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: Operations['deleteTool']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': null } }; 400: { headers: Headers; content: { 'application/json': types.Detail } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/user/projects/': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['listProjects']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/user/projects/{project_id}/details': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path: Operations['getProjectDetails']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['getProjectDetails']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/user/projects/{project_id}/instructions': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: Operations['setProjectInstructions']['input']['path']; cookie?: never }; requestBody: { content: { 'application/json': Operations['setProjectInstructions']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': Operations['setProjectInstructions']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/user/projects/{project_id}/files/{file_id}': {
    parameters: NoParameters
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: Operations['linkFile']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': types.UserFile } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/user/projects/file/{file_id}': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path: Operations['getFile']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': types.UserFile } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: Operations['deleteFile']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['deleteFile']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/admin/users': {
    parameters: NoParameters
    get?: never
    put: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': Operations['inviteUsers']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': Operations['inviteUsers']['reply'] } }; 400: { headers: Headers; content: { 'application/json': types.Detail } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/manage/admin/delete-user': {
    parameters: NoParameters
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': Operations['deleteUser']['input']['body'] } }; responses: { 200: { headers: Headers; content: { 'application/json': null } }; 400: { headers: Headers; content: { 'application/json': types.Detail } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 413: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/get-user-role': {
    parameters: NoParameters
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': Operations['getUserRole']['reply'] } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/token-rate-limits/rate-limit/{token_rate_limit_id}': {
    parameters: NoParameters
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: Operations['deleteTokenRateLimit']['input']['path']; cookie?: never }; requestBody?: never; responses: { 200: { headers: Headers; content: { 'application/json': null } }; 401: { headers: Headers; content: { 'application/json': types.Detail } }; 403: { headers: Headers; content: { 'application/json': types.Detail } }; 404: { headers: Headers; content: { 'application/json': types.Detail } }; 422: { headers: Headers; content: { 'application/json': types.ValidationError } } } }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
/** The schemas by name, in the shape of openapi-typescript. */
export interface components {
  schemas: {
    ChatSession: types.ChatSession
    ChatSessionSummary: types.ChatSessionSummary
    ChatSearchGroup: types.ChatSearchGroup
    DocumentSource: types.DocumentSource
    AccessType: types.AccessType
    IndexStatus: types.IndexStatus
    DocsCountOperator: types.DocsCountOperator
    InputType: types.InputType
    UserFileStatus: types.UserFileStatus
    ChatFileType: types.ChatFileType
    SharedStatus: types.SharedStatus
    PairStatus: types.PairStatus
    Role: types.Role
    FederatedSource: types.FederatedSource
    File: string
    FreeForm: { [name: string]: unknown }
    UserReference: types.UserReference
    StatusResponse: types.StatusResponse
    Detail: types.Detail
    ValidationError: types.ValidationError
    ValidationItem: types.ValidationItem
    ChatValidationItem: types.ChatValidationItem
    ChatValidationError: types.ChatValidationError
    ConnectorSnapshot: types.ConnectorSnapshot
    IndexingSummary: types.IndexingSummary
    ConnectorIndexingStatus: types.ConnectorIndexingStatus
    FederatedConnectorStatus: types.FederatedConnectorStatus
    IndexingStatusGroup: types.IndexingStatusGroup
    FileUploadResult: types.FileUploadResult
    CredentialSnapshot: types.CredentialSnapshot
    CredentialBase: types.CredentialBase
    UserFile: types.UserFile
    StarterMessage: types.StarterMessage
    Label: types.Label
    PairSummary: types.PairSummary
    FederatedSummary: types.FederatedSummary
    DocumentSet: types.DocumentSet
    Persona: types.Persona
    ReadPersona: types.ReadPersona
    Project: types.Project
    CustomHeader: types.CustomHeader
    Tool: types.Tool
    ToolMethod: types.ToolMethod
    WebContent: types.WebContent
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
