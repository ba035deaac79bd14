/** A document as FastAPI writes it, with `resources` × 5 operations on as many paths and more: GETs of every usual shape. */
export function manyPaths(resources = 50) {
  const ref = (name) => ({ $ref: `#/components/schemas/${name}` })
  const text = { type: 'string' }
  const orNull = (schema) => ({ anyOf: [schema, { type: 'null' }] })
  const titled = (schema, title) => ({ ...schema, title })
  const invalid = {
    422: { description: 'Validation Error', content: { 'application/json': { schema: ref('HTTPValidationError') } } }
  }
  const answers = (schema, status = 200) => ({
    [status]: { description: 'Successful Response', content: { 'application/json': { schema } } },
    ...invalid
  })
  const body = (schema) => ({ required: true, content: { 'application/json': { schema } } })
  const paths = {}
  const schemas = {
    HTTPValidationError: {
      type: 'object',
      title: 'HTTPValidationError',
      properties: { detail: { type: 'array', items: ref('ValidationError'), title: 'Detail' } }
    },
    ValidationError: {
      type: 'object',
      title: 'ValidationError',
      required: ['loc', 'msg', 'type'],
      properties: {
        loc: { type: 'array', items: { anyOf: [text, { type: 'integer' }] } },
        msg: text,
        type: text
      }
    },
    UserSummary: {
      type: 'object',
      required: ['id', 'email'],
      properties: { id: { ...text, format: 'uuid' }, email: { ...text, format: 'email' }, full_name: orNull(text) }
    },
    Status: { type: 'string', enum: ['PENDING', 'ACTIVE', 'FAILED', 'ARCHIVED'], title: 'Status' },
    TreeNode: {
      type: 'object',
      required: ['id', 'children'],
      properties: {
        id: { type: 'integer' },
        name: text,
        children: { type: 'array', items: ref('TreeNode') },
        parent: orNull(ref('TreeNode'))
      }
    }
  }
  for (let number = 1; number <= resources; number++) {
    const one = `Resource${number}`
    const base = `/api/v1/resource-${number}`
    const id = { name: 'resource_id', in: 'path', required: true, schema: titled({ type: 'integer' }, 'Resource Id') }
    const field = {
      name: titled({ ...text, maxLength: 200, minLength: 1 }, 'Name'),
      description: orNull(text),
      status: ref('Status'),
      score: { type: 'number', minimum: 0, maximum: 1 },
      count: orNull({ type: 'integer', exclusiveMinimum: 0 }),
      tags: { type: 'array', items: text, uniqueItems: true, default: [] },
      code: { ...text, pattern: '^[A-Z]{3}-\\d{4}$' },
      settings: { type: 'object', additionalProperties: { anyOf: [text, { type: 'integer' }, { type: 'boolean' }] } },
      link: { ...text, format: 'uri', minLength: 1, maxLength: 2083 },
      starts: { ...text, format: 'date' }
    }
    schemas[`${one}Create`] = { type: 'object', title: `${one}Create`, required: ['name'], properties: field }
    schemas[`${one}Update`] = {
      type: 'object',
      properties: Object.fromEntries(Object.entries(field).map(([name, schema]) => [name, orNull(schema)]))
    }
    schemas[one] = {
      title: one,
      allOf: [
        ref(`${one}Create`),
        {
          type: 'object',
          required: ['id', 'owner', 'created_at', 'kind', 'detail'],
          properties: {
            id: { type: 'integer' },
            owner: orNull(ref('UserSummary')),
            created_at: { ...text, format: 'date-time' },
            kind: { const: `resource-${number}` },
            detail: {
              oneOf: [ref('FileDetail'), ref('WebDetail')],
              discriminator: {
                propertyName: 'type',
                mapping: { file: '#/components/schemas/FileDetail', web: '#/components/schemas/WebDetail' }
              }
            },
            tree: ref('TreeNode')
          }
        }
      ]
    }
    schemas[`Page${one}`] = {
      type: 'object',
      required: ['items', 'total'],
      properties: {
        items: { type: 'array', items: ref(one) },
        total: { type: 'integer' },
        next: orNull({ ...text, format: 'uri' })
      }
    }
    const page = [
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', maximum: 100, minimum: 1, default: 20 }
      },
      { name: 'q', in: 'query', required: false, schema: orNull(text) },
      { name: 'x-request-id', in: 'header', required: false, schema: orNull({ ...text, format: 'uuid' }) }
    ]
    const named = (name, more) => ({ tags: [one], operationId: `${name}_${number}`, ...more })
    paths[base] = {
      get: named('list', { parameters: page, responses: answers(ref(`Page${one}`)) }),
      post: named('create', { requestBody: body(ref(`${one}Create`)), responses: answers(ref(one), 201) })
    }
    paths[`${base}/{resource_id}`] = {
      get: named('get', { parameters: [id], responses: answers(ref(one)) }),
      patch: named('update', {
        parameters: [id],
        requestBody: body(ref(`${one}Update`)),
        responses: answers(ref(one))
      }),
      delete: named('delete', {
        parameters: [id],
        responses: { 204: { description: 'Successful Response' }, ...invalid }
      })
    }
    paths[`${base}/stats`] = {
      get: named('stats', {
        responses: answers({ type: 'object', additionalProperties: { type: 'integer' }, title: 'Stats' })
      })
    }
    paths[`${base}/all`] = { get: named('all', { responses: answers({ type: 'array', items: ref(one) }) }) }
  }
  schemas.FileDetail = {
    type: 'object',
    required: ['type', 'size'],
    properties: { type: { const: 'file' }, size: { type: 'integer' } }
  }
  schemas.WebDetail = {
    type: 'object',
    required: ['type', 'url'],
    properties: { type: { const: 'web' }, url: { ...text, format: 'uri' } }
  }
  return { openapi: '3.1.0', info: { title: 'Many', version: '0.1.0' }, paths, components: { schemas } }
}
