import {
  body,
  create,
  type Edit,
  openUrls,
  parameter,
  persona,
  reply,
  schema,
  search,
  session,
  status,
  upload,
  without
} from './documents.js'

/** The changes of an edit, those of its reversal, and the place. */
export type Row = [what: string, edit: Edit, found: string, undone: string, place: string]

export const edits: Row[] = [
  [
    'a request field comes that must be given',
    (it) => {
      body(it, create).properties.color = { type: 'string' }
      body(it, create).required = ['color']
    },
    'breaking new-required-request-property',
    'warning request-property-removed',
    'request body color'
  ],
  [
    'a request field with a default comes that must be given',
    (it) => {
      body(it, create).properties.color = { type: 'string', default: 'red' }
      body(it, create).required = ['color']
    },
    'breaking new-required-request-property-with-default',
    'warning request-property-removed',
    'request body color'
  ],
  [
    'a request field comes that may be left out',
    (it) => {
      body(it, create).properties.color = { type: 'string' }
    },
    'info new-optional-request-property',
    'warning request-property-removed',
    'request body color'
  ],
  [
    'a request field must now be given',
    (it) => {
      body(it, create).required = ['description']
    },
    'breaking request-property-became-required',
    'info request-property-became-optional',
    'request body description'
  ],
  [
    'a request field is no longer null',
    (it) => {
      body(it, create).properties.project_id.type = 'integer'
    },
    'breaking request-property-became-not-nullable',
    'info request-property-became-nullable',
    'request body project_id'
  ],
  [
    'a request field has another type',
    (it) => {
      body(it, create).properties.project_id.type = ['string', 'null']
    },
    'breaking request-property-type-changed',
    'breaking request-property-type-changed',
    'request body project_id'
  ],
  [
    'a request field has another format',
    (it) => {
      body(it, create).properties.incognito_session_id.format = 'date'
    },
    'breaking request-property-type-changed',
    'breaking request-property-type-changed',
    'request body incognito_session_id'
  ],
  [
    'a request field takes numbers where it took integers',
    (it) => {
      body(it, create).properties.project_id.type = ['number', 'null']
    },
    'info request-property-type-generalized',
    'breaking request-property-type-specialized',
    'request body project_id'
  ],
  [
    'a request field takes texts too',
    (it) => {
      body(it, status).properties.source_to_page.additionalProperties.type = ['integer', 'boolean', 'string']
      body(it, status).properties.source_to_page.additionalProperties.minimum = undefined
    },
    'info request-property-type-generalized',
    'breaking request-property-type-specialized',
    'request body source_to_page.*'
  ],
  [
    'a value of a request enumeration goes',
    (it) => {
      body(it, status).properties.access_type_filters.items = { enum: ['public', 'private'] }
    },
    'breaking request-property-enum-value-removed',
    'info request-property-enum-value-added',
    'request body access_type_filters[]'
  ],
  [
    'a request field becomes an enumeration',
    (it) => {
      body(it, create).properties.description.enum = ['one', 'two', null]
    },
    'breaking request-property-became-enum',
    'info request-property-enum-removed',
    'request body description'
  ],
  [
    'a default changes',
    (it) => {
      body(it, create).properties.incognito.default = true
    },
    'warning request-property-default-value-changed',
    'warning request-property-default-value-changed',
    'request body incognito'
  ],
  [
    'a list must have more items',
    (it) => {
      body(it, openUrls).properties.urls.minItems = 2
    },
    'breaking request-property-min-items-increased',
    'info request-property-min-items-decreased',
    'request body urls'
  ],
  [
    'a request text has a limit',
    (it) => {
      body(it, create).properties.description.maxLength = 80
    },
    'breaking request-property-max-length-set',
    'info request-property-max-length-unset',
    'request body description'
  ],
  [
    'a request text has a pattern',
    (it) => {
      body(it, create).properties.description.pattern = '^[A-Z]'
    },
    'breaking request-property-pattern-added',
    'info request-property-pattern-removed',
    'request body description'
  ],
  [
    'a request body takes no field that it does not name',
    (it) => {
      body(it, create).additionalProperties = false
    },
    'breaking request-body-additional-properties-forbidden',
    'info request-body-additional-properties-allowed',
    'request body'
  ],
  [
    'a request body becomes required',
    (it) => {
      it.paths[create].post.requestBody.required = true
    },
    '',
    '',
    ''
  ],
  [
    'a request body becomes optional',
    (it) => {
      it.paths[create].post.requestBody.required = false
    },
    'info request-body-became-optional',
    'breaking request-body-became-required',
    'request body'
  ],
  [
    'a request body goes',
    (it) => {
      delete it.paths[create].post.requestBody
    },
    'breaking request-body-removed',
    'breaking request-body-added-required',
    'request body'
  ],
  [
    'a request body comes as another media type',
    (it) => {
      it.paths[upload].post.requestBody.content['application/zip'] = {}
    },
    'info request-body-media-type-added',
    'breaking request-body-media-type-removed',
    'request body'
  ],
  [
    'a form field has another type',
    (it) => {
      body(it, upload, 'post', 'multipart/form-data').properties.files.type = 'string'
    },
    'breaking request-property-type-changed',
    'breaking request-property-type-changed',
    'request body files'
  ],
  [
    'a parameter goes',
    (it) => {
      it.paths[search].get.parameters = without(it.paths[search].get.parameters, parameter(it, search, 'page'))
    },
    'warning request-parameter-removed',
    'info new-optional-request-parameter',
    'query parameter page'
  ],
  [
    'a parameter comes that must be given',
    (it) => {
      it.paths[search].get.parameters.push({ name: 'tenant', in: 'query', required: true, schema: { type: 'string' } })
    },
    'breaking new-required-request-parameter',
    'warning request-parameter-removed',
    'query parameter tenant'
  ],
  [
    'a parameter must now be given',
    (it) => {
      parameter(it, search, 'query').required = true
    },
    'breaking request-parameter-became-required',
    'info request-parameter-became-optional',
    'query parameter query'
  ],
  [
    'a parameter has another type',
    (it) => {
      parameter(it, session, 'session_id', 'delete').schema = { type: 'integer' }
    },
    'breaking request-parameter-type-changed',
    'breaking request-parameter-type-changed',
    'path parameter session_id'
  ],
  [
    'the greatest value of a parameter is less',
    (it) => {
      parameter(it, search, 'page_size').schema.maximum = 50
    },
    'breaking request-parameter-max-decreased',
    'info request-parameter-max-increased',
    'query parameter page_size'
  ],
  [
    'a reply has one field less that was always there',
    (it) => {
      const project = schema(it, 'Project')
      delete project.properties.instructions
      project.required = without(project.required, 'instructions')
    },
    'breaking response-required-property-removed',
    'info response-required-property-added',
    'response 200 project.instructions'
  ],
  [
    'a reply has one field less that was there at times',
    (it) => {
      delete schema(it, 'StatusResponse').properties.data
    },
    'warning response-optional-property-removed',
    'info response-optional-property-added',
    'response 200 (StatusResponse).data'
  ],
  [
    'a field of a reply may be missing',
    (it) => {
      schema(it, 'UserFile').required = without(schema(it, 'UserFile').required, 'status')
    },
    'breaking response-property-became-optional',
    'info response-property-became-required',
    'response 200 files[].status'
  ],
  [
    'a field of a reply may be null',
    (it) => {
      schema(it, 'UserFile').properties.name.type = ['string', 'null']
    },
    'breaking response-property-became-nullable',
    'info response-property-became-not-nullable',
    'response 200 files[].name'
  ],
  [
    'a field of a reply that is named elsewhere may be null',
    (it) => {
      schema(it, 'UserFile').properties.status = { anyOf: [schema(it, 'UserFile').properties.status, { type: 'null' }] }
    },
    'breaking response-property-became-nullable',
    'info response-property-became-not-nullable',
    'response 200 files[].status'
  ],
  [
    'a field of a reply has another type',
    (it) => {
      schema(it, 'UserFile').properties.file_id.type = 'integer'
    },
    'breaking response-property-type-changed',
    'breaking response-property-type-changed',
    'response 200 files[].file_id'
  ],
  [
    'a field of a reply is no longer an integer alone',
    (it) => {
      schema(it, 'Project').properties.id.type = 'number'
    },
    'breaking response-property-type-generalized',
    'info response-property-type-specialized',
    'response 200 project.id'
  ],
  [
    'a value of a reply enumeration comes',
    (it) => {
      schema(it, 'UserFileStatus').enum.push('SKIPPED')
    },
    'breaking response-property-enum-value-added',
    'info response-property-enum-value-removed',
    'response 200 files[].status'
  ],
  [
    'a reply takes on an alternative',
    (it) => {
      const items = schema(it, 'IndexingStatusGroup').properties.indexing_statuses.items
      items.anyOf.push({
        title: 'Paused',
        type: 'object',
        required: ['paused'],
        properties: { paused: { const: true } }
      })
    },
    'breaking response-property-any-of-added',
    'info response-property-any-of-removed',
    'response 200 [].indexing_statuses[]'
  ],
  [
    'a field deep in a reply may be longer',
    (it) => {
      reply(it, search).properties.groups.maxItems = 5
    },
    'info response-property-max-items-set',
    'breaking response-property-max-items-unset',
    'response 200 groups'
  ],
  [
    'success has another status',
    (it) => {
      it.paths[search].get.responses[206] = it.paths[search].get.responses[200]
    },
    'info response-success-status-added',
    'breaking response-success-status-removed',
    'response 206'
  ],
  [
    'an error has another status',
    (it) => {
      it.paths[search].get.responses[429] = { description: 'Too many' }
    },
    'info response-non-success-status-added',
    'info response-non-success-status-removed',
    'response 429'
  ],
  [
    'a reply has another media type',
    (it) => {
      it.paths[search].get.responses[200].content['text/csv'] = {}
    },
    'info response-media-type-added',
    'breaking response-media-type-removed',
    'response 200'
  ],
  [
    'a reply has a header',
    (it) => {
      it.paths[search].get.responses[200].headers = { 'X-Total': { required: true, schema: { type: 'integer' } } }
    },
    '',
    'breaking required-response-header-removed',
    'response 200 header x-total'
  ],
  [
    'a path goes',
    (it) => {
      delete it.paths[search]
    },
    'breaking api-path-removed-without-deprecation',
    'info endpoint-added',
    ''
  ],
  [
    'one operation of a path goes',
    (it) => {
      delete it.paths[persona].patch
    },
    'breaking api-removed-without-deprecation',
    'info endpoint-added',
    ''
  ],
  [
    'an operation has another id',
    (it) => {
      it.paths[search].get.operationId = 'findChats'
    },
    'info api-operation-id-removed',
    'info api-operation-id-removed',
    ''
  ],
  [
    'an operation is deprecated',
    (it) => {
      it.paths[search].get.deprecated = true
    },
    'info endpoint-deprecated',
    'info endpoint-reactivated',
    ''
  ],
  [
    'an operation asks for no token',
    (it) => {
      it.paths[search].get.security = []
    },
    'info api-security-removed, info api-security-added',
    'breaking api-security-added',
    ''
  ]
]
