import { verify } from '../../../src/doors/program/handle/verify.js'
import { startTestMock } from '../../mock.js'
import { plant } from './faults.js'
import { documentOf, gives, integer, json, listOf, named, objectOf, takes, text } from './shop.js'

const set = { ...integer, readOnly: true }
const status = { type: 'string', enum: ['open', 'done'], default: 'open' }
const effort = { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 100 }
const points = { type: 'integer', default: 3 }
const kind = { type: 'string', enum: ['bug', 'chore'] }
const task = { kind, title: text, status, effort, points }
const query = (name: string, schema: object) => ({ name, in: 'query', schema })
const wrong = (status: number) => ({ [status]: { description: 'wrong', ...json(named('Error')) } })
const withErrors = (operation: { responses: object }, ...statuses: number[]) => ({
  ...operation,
  responses: Object.assign({}, operation.responses, ...statuses.map(wrong))
})
const at = (...names: string[]) => ({
  parameters: names.map((name) => ({ name, in: 'path', required: true, schema: integer }))
})
const api = documentOf(
  {
    '/projects': { get: gives(listOf(named('Project'))), post: takes(named('Project'), named('Project')) },
    '/projects/{id}': { ...at('id'), get: withErrors(gives(named('Project')), 404) },
    '/projects/{id}/tasks': {
      ...at('id'),
      get: { parameters: [query('status', status), query('kind', text)], ...gives(listOf(named('Task'))) },
      post: withErrors(takes(named('NewTask'), named('Task')), 400)
    },
    '/projects/{id}/tasks/{task_id}': {
      ...at('id', 'task_id'),
      get: withErrors(gives(named('Task')), 404),
      patch: withErrors(takes(named('NewTask'), named('Task'), 200), 400, 404)
    }
  },
  {
    Project: objectOf({ id: set, name: text }, ['id', 'name']),
    NewTask: objectOf(task, ['title', 'effort']),
    Task: objectOf({ id: set, ...task }, ['id', 'title', 'status', 'effort', 'points']),
    Error: objectOf({ code: integer, message: text }, ['code'])
  }
)
type Fault = Parameters<typeof plant>[1]
const foundBehind = async (fault: Fault, document: object = api) => {
  const mock = await startTestMock({ api: document })
  const { url, close } = await plant(mock.url, fault)
  const { findings } = await verify({ api: document, url, mutating: true, token: 'admin', userToken: 'user' })
  await close()
  return findings.map(({ operation, check }) => `${operation} ${check}`)
}

test('the mock of projects has no finding', async () => {
  expect(await foundBehind((call, next) => next(call))).toEqual([])
})

const isTask = (path: string) => /\/tasks(\/\d+)?$/.test(path)

test.each<[string, string, Fault]>([
  ...['status', 'kind'].map((name): [string, string, Fault] => [
    `the filter by ${name} of a nested list is ignored`,
    'getProjectsByIdTasks filter_respected',
    (call, next) => {
      call.url.searchParams.delete(name)
      return next(call)
    }
  ]),
  [
    'an exclusive bound itself is accepted',
    'postProjectsByIdTasks negative_data_rejection',
    (call, next) => {
      const { body } = call
      return next(body?.effort === 100 ? { ...call, body: { ...body, effort: 99.5 } } : call)
    }
  ],
  [
    'nothing beyond an exclusive bound is refused',
    'postProjectsByIdTasks negative_data_rejection',
    (call, next) => {
      const { body } = call
      return next(body?.effort > 100 ? { ...call, body: { ...body, effort: 99.5 } } : call)
    }
  ],
  [
    'a field has another default',
    'postProjectsByIdTasks values_read_back',
    (call, next) => {
      const { method, body } = call
      return next(
        method === 'POST' && body?.title && isTask(call.url.pathname) ? { ...call, body: { points: 5, ...body } } : call
      )
    }
  ],
  [
    'an error has no reason',
    'getProjectsById response_schema_conformance',
    async (call, next) => {
      const answer = await next(call)
      return answer.status >= 400 ? { ...answer, body: { code: answer.status } } : answer
    }
  ],
  [
    'the reason of an error is empty',
    'getProjectsById response_schema_conformance',
    async (call, next) => {
      const answer = await next(call)
      return answer.status >= 400 ? { ...answer, body: { code: answer.status, message: '' } } : answer
    }
  ]
])('a fault is found in nested rows: %s', async (_, finding, fault) => {
  expect(await foundBehind(fault)).toContain(finding)
})

test('a filter of a list below a row is tested next to the list of all rows', async () => {
  const { '/projects/{id}/tasks/{task_id}': item, ...paths } = api.paths as Record<string, object>
  const tasks = { get: gives(listOf(named('Task'))) }
  const shallow = { ...api, paths: { ...paths, '/tasks': tasks, '/tasks/{task_id}': { ...item, ...at('task_id') } } }
  expect(await foundBehind((call, next) => next(call), shallow)).toEqual([])
  const ignoring: Fault = (call, next) => {
    if (call.url.pathname.startsWith('/projects')) call.url.search = ''
    return next(call)
  }
  expect(await foundBehind(ignoring, shallow)).toContain('getProjectsByIdTasks filter_respected')
})
