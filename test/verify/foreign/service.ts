import fastify from 'fastify'
import { addAdminCredentials } from './areas/admin-credentials.js'
import { addAgents } from './areas/agents.js'
import { addChat } from './areas/chat.js'
import { addCredentials } from './areas/credentials.js'
import { addFiles } from './areas/files.js'
import { addIndexing } from './areas/indexing.js'
import { addPairs } from './areas/pairs.js'
import { addProjects } from './areas/projects.js'
import { addSearch } from './areas/search.js'
import { addTools } from './areas/tools.js'
import { addUploads } from './areas/uploads.js'
import { addUsers } from './areas/users.js'
import { uuid } from './data/seed.js'
import { Door } from './http.js'
import { addLimits } from './limits.js'
import { Service } from './state.js'
import { addWire } from './wire.js'

const areas = [
  addChat,
  addSearch,
  addAgents,
  addCredentials,
  addAdminCredentials,
  addPairs,
  addIndexing,
  addUploads,
  addTools,
  addProjects,
  addFiles,
  addUsers
]

/** A running service of the interface that shares nothing with the mock. */
export interface Foreign {
  url: string
  adminToken: string
  userToken: string
  /** Rows that a test may change and delete. */
  disposable: Record<'persona' | 'connector' | 'tool' | 'limit' | 'file' | 'project' | 'user', (number | string)[]>
  close: () => Promise<void>
}

/** Starts the service on a free port, with the choices and bugs that are named. */
export async function startForeign({
  choices = [],
  bugs = []
}: {
  choices?: string[]
  bugs?: string[]
} = {}): Promise<Foreign> {
  const service = new Service(choices, bugs)
  const app = fastify({
    bodyLimit: 16 * 1024 * 1024,
    forceCloseConnections: true,
    exposeHeadRoutes: !service.chose('no-head'),
    routerOptions: {
      maxParamLength: 20_000,
      ignoreTrailingSlash: service.chose('any-slash'),
      ignoreDuplicateSlashes: service.broken('open-if-doubled')
    },
    frameworkErrors(error, _request, reply) {
      const status = service.broken('half-encoded') ? 500 : (error.statusCode ?? 400)
      reply.raw.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: error.message }))
    }
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  addLimits(app, service)
  addWire(app, service)
  const door = new Door(app, service)
  for (const add of areas) add(door)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    adminToken: 'tok-ada',
    userToken: 'tok-bob',
    disposable: {
      persona: [106, 107, 108],
      connector: [291, 292, 293],
      tool: [403, 404, 405, 406],
      limit: [501, 502, 503, 504],
      file: [7, 8, 9, 10, 11].map((n) => uuid('f11e', n)),
      project: [603, 602],
      user: ['eli@workshop.example', 'fay@workshop.example', 'gil@workshop.example']
    },
    close: () => app.close()
  }
}
