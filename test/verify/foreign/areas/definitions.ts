import { impossible, invalid } from '../refused.js'
import type { Service } from '../state.js'

const verbs = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a definition offers: a method for each operation of its paths. */
export function methodsOf(service: Service, definition: Record<string, unknown>) {
  if (service.has('unchecked E19 definition') && !isObject(definition)) return []
  if (service.chose('E19-only-openapi') && typeof definition.openapi !== 'string') {
    throw invalid({ loc: ['body', 'definition', 'openapi'], msg: 'Which version?', type: 'no_version' })
  }
  if (!isObject(definition.paths)) {
    if (service.chose('E19-empty-200')) return []
    if (service.chose('E19-empty-400')) throw impossible('The definition has no paths.')
    throw invalid({ loc: ['body', 'definition', 'paths'], msg: 'The definition has no paths.', type: 'no_paths' })
  }
  const methods = Object.entries(definition.paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {})
      .filter(([method, spec]) => verbs.includes(method) && isObject(spec))
      .map(([method, spec]) => methodOf(service, path, method, spec as Record<string, unknown>))
  )
  if (service.broken('E19-first')) return methods.slice(0, 1)
  return service.broken('E19-get') ? methods.filter(({ method }) => method === 'get') : methods
}

function methodOf(service: Service, path: string, method: string, spec: Record<string, unknown>) {
  const { operationId, summary } = spec
  const isSwapped = service.broken('E19-swapped')
  return {
    name: typeof operationId === 'string' ? operationId : `${method} ${path}`,
    summary: typeof summary === 'string' ? summary : '',
    path: isSwapped ? method : path,
    method: isSwapped ? path : service.chose('E19-verbs-in-capitals') ? method.toUpperCase() : method,
    spec
  }
}
