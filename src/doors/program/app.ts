import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import { lazily } from '../../engine/contract/lazy.js'
import type { Operation } from '../../engine/contract/model.js'
import type { Edition } from '../../engine/ledger/edition.js'
import { hush } from '../../engine/serve/message/contain.js'
import type { Part } from '../../engine/serve/steps.js'
import { type Handler, isTooLate, NodeRequest, whenOver } from '../listener/node-request.js'
import type { CoreMock } from './open-mock.js'

interface AppParts {
  core: Pick<CoreMock, 'edition' | 'partOf'>
  handle: Handler
  /** A service that answers unknown paths, or all paths. */
  service: 'fallback' | 'upstream' | undefined
}

type Handle = (request: Request, response: Response, next?: (error?: unknown) => void) => void

/**
 * Creates the Express app of a mock: a route for each operation, then middleware for the control API, the pages and other paths
 * of the mock, then the user's own routers. Later additions follow these. The returned function gives the app as it is after
 * the last reload.
 */
export function createApp({ core, handle, service }: AppParts): () => Express {
  // Loading Express takes longer than starting the mock.
  const express = lazily('express') as typeof import('express')
  const app = express().disable('x-powered-by') as Express & { handle: Handle }
  /** The callbacks of requests that were left to the next layers. */
  const callbacks = new WeakMap<Request, () => void>()
  let edition: Edition | undefined
  let layers: Express['router']['stack'] = []

  const answer: RequestHandler = (request, response, next) =>
    handle(request, response, () => {
      return new Promise((resolve) => {
        whenOver(response, () => resolve(false))
        callbacks.set(request, () => resolve(true))
        next()
      })
    })
  const partOf = (request: Request, response: Response) => core.partOf(new NodeRequest(request, response))
  const layerOf = (part: Part): RequestHandler => {
    return (request, response, next) => (partOf(request, response) === part ? answer(request, response, next) : next())
  }
  // Express cannot decode some paths that the mock can.
  const undecoded: ErrorRequestHandler = (error, request, response, next) =>
    error?.name === 'URIError' && partOf(request, response) ? answer(request, response, next) : next(error)

  const refresh = () => {
    if (edition === core.edition) return
    const { contractOf, choices, extensions } = core.edition
    // Only the mock's own layers distinguish case and slashes.
    const router = express.Router({ caseSensitive: true, strict: true })
    for (const it of contractOf(choices).operations.values()) {
      router.route(routePath(it))[it.method.toLowerCase() as 'get'](answer)
    }
    router.use(layerOf('control'), layerOf('page'), layerOf('path'), undecoded)
    for (const routerOf of service === 'upstream' ? [] : extensions.routes) router.use(routerOf() as RequestHandler)
    const { stack } = app.router
    const others = stack.filter((it) => !layers.includes(it))
    const at = Math.max(0, stack.indexOf(layers[0] as (typeof layers)[0]))
    app.router.stack = others.toSpliced(at, 0, ...router.stack)
    edition = core.edition
    layers = router.stack
  }

  const route = app.handle.bind(app)
  app.handle = (request, response, next) => {
    if (isTooLate(request)) return
    hush(request, response)
    refresh()
    route(request, response, (error) => {
      if (next && (error || !service)) next(error)
      // Express answers an error that nothing has handled.
      else if (error)
        express()
          .disable('x-powered-by')
          .use((_request, _response, fail) => fail(error))(request, response)
      else (callbacks.get(request) ?? (() => handle(request, response)))()
    })
  }
  return () => {
    refresh()
    return app
  }
}

/** The path of an operation as Express writes it: `/orders/:order_id` for `/orders/{order_id}`. */
function routePath({ path, isRest }: Pick<Operation, 'path' | 'isRest'>): string {
  // Express does not allow adjacent parameters. The route only leads to the mock, which reads both.
  const parts = path.split(/((?:\{[^{}]*\})+)/)
  const last = parts.length - 2
  return parts
    .map((text, at) =>
      at % 2 === 0 ? text.replace(/[{}()[\]+?!:*\\]/g, '\\$&') : parameter(text, isRest && at === last)
    )
    .join('')
}

function parameter(text: string, isRest = false): string {
  const name = text.slice(1, text.indexOf('}')) || '_'
  return (isRest ? '*' : ':') + (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
}
