import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import type { Operation } from '../../contract/contract.js'
import { lazily } from '../../contract/lazy.js'
import type { Edition } from '../../mock/ledger/edition.js'
import type { Part } from '../../serve/part.js'
import { begin, type Handler } from '../listener/handle.js'
import { left, NodeRequest } from '../listener/node-request.js'
import type { CoreMock } from './open-mock.js'

interface AppParts {
  core: Pick<CoreMock, 'edition' | 'partOf'>
  handle: Handler
  /** Whether a service answers the paths that the mock does not have. */
  hasFallback: boolean
  /** Whether the routes of `--with` folders are part of it. */
  hasRoutes: boolean
}

type Handle = (request: Request, response: Response, next?: (error?: unknown) => void) => void
type Layers = Express['router']['stack']

/**
 * Makes the Express app of a mock: a route for each operation, then middleware for the control API, the pages and other
 * paths of the mock, then the user's own routers. What is added to it later follows these. The returned function gives the
 * app as it is after the last reload.
 */
export function createApp({ core, handle, hasFallback, hasRoutes }: AppParts): () => Express {
  // Loading Express takes longer than starting the mock.
  const express = lazily('express') as typeof import('express')
  const app = express().disable('x-powered-by') as Express & { handle: Handle }
  let edition: Edition | undefined
  let own: Layers = []

  const isPart = (part: Part, message: IncomingMessage, response: ServerResponse) =>
    core.partOf(new NodeRequest(message, response)) === part
  const operation: RequestHandler = (request, response) => handle(request, response)
  const controlApi: RequestHandler = (request, response, next) =>
    isPart('control', request, response) ? handle(request, response) : next()
  const webPages: RequestHandler = (request, response, next) =>
    isPart('page', request, response) ? handle(request, response) : next()
  const otherPaths: RequestHandler = (request, response, next) =>
    isPart('path', request, response) ? handle(request, response, next) : next()

  /** The mock's own layers. Only these distinguish case and slashes, not what is added to the app. */
  const layersOf = ({ contractOf, choices, beside }: Edition): Layers => {
    const router = express.Router({ caseSensitive: true, strict: true })
    for (const it of contractOf(choices).operations.values()) {
      router.route(routePath(it))[it.method.toLowerCase() as 'get'](operation)
    }
    // Express cannot decode some paths that the mock can.
    const undecodedPaths: ErrorRequestHandler = (error, request, response, next) =>
      error?.name === 'URIError' && core.partOf(new NodeRequest(request, response)) !== undefined
        ? handle(request, response)
        : next(error)
    router.use(controlApi, webPages, otherPaths, undecodedPaths)
    if (hasRoutes) for (const routerOf of beside.routes) router.use(routerOf() as RequestHandler)
    return router.stack
  }

  /** Takes up a reload. */
  const refresh = () => {
    if (edition === core.edition) return
    const next = layersOf(core.edition)
    const { stack } = app.router
    const others = stack.filter((it) => !own.includes(it))
    const first = Math.max(
      0,
      stack.findIndex((it) => own.includes(it))
    )
    app.router.stack = [...others.slice(0, first), ...next, ...others.slice(first)]
    edition = core.edition
    own = next
  }
  const route = app.handle.bind(app)
  app.handle = (request, response, next) => {
    if (!begin(request, response)) return
    refresh()
    route(request, response, (error) => {
      if (next && (error || !hasFallback)) return next(error)
      if (error) return void fail(error)(request, response)
      const answer = left.get(request)
      if (answer) answer()
      else handle(request, response)
    })
  }
  return () => {
    refresh()
    return app
  }

  /** Express's own answer to an error that nothing in the app has handled. */
  function fail(error: unknown): Express {
    return express()
      .disable('x-powered-by')
      .use((_request, _response, next) => next(error))
  }
}

/** The path of an operation as Express writes it: `/api/persona/:persona_id` for `/api/persona/{persona_id}`. */
function routePath({ path, own }: Pick<Operation, 'path' | 'own'>): string {
  // Express takes no parameters without a text between them. The route only leads to the mock, which reads both.
  const parts = path.split(/((?:\{[^{}]*\})+)/)
  const last = parts.length - 2
  return parts.map((text, at) => (at % 2 === 0 ? literal(text) : parameter(text, own?.isRest && at === last))).join('')
}

function literal(text: string): string {
  return text.replace(/[{}()[\]+?!:*\\]/g, '\\$&')
}

function parameter(text: string, isRest = false): string {
  const name = text.slice(1, text.indexOf('}')) || '_'
  return (isRest ? '*' : ':') + (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
}
