import { worker } from './platform.js'

interface FetchTarget {
  fetch(request: Request): Promise<Response>
}

export interface ServeOptions {
  /** The address of the folder `dist/pages` of this package, with the dashboard and the explorer. */
  pages?: string | undefined
  /** The files of the site, for visits without a network. */
  site?: SiteFiles | undefined
}

/**
 * Answers requests of pages from a service worker: `/api`, `/__mock`, `/docs` and `/openapi.json`, below the worker's
 * scope or at the root. Call it in the first run of the worker's script. A function opens the mock on the first request.
 */
export function serve(mock: FetchTarget | (() => Promise<FetchTarget>), { pages, site }: ServeOptions = {}): void {
  const scope = new URL(worker.registration.scope)
  const base = scope.pathname.replace(/\/$/, '')
  const shelf = createShelf({ base, pages, site })
  let opened: Promise<FetchTarget> | undefined
  const open = () => {
    opened ??= Promise.resolve(typeof mock === 'function' ? mock() : mock).catch((error) => {
      // The next request tries again.
      opened = undefined
      throw error
    })
    return opened
  }

  const answer = async (request: Request): Promise<Response> => {
    let mock: FetchTarget
    try {
      mock = await open()
    } catch (error) {
      return new Response(`The mock cannot start: ${(error as Error).message}\n`, { status: 500 })
    }
    // A fault breaks the connection.
    return mock.fetch(request).catch(() => Response.error())
  }

  worker.addEventListener('install', (event) => event.waitUntil(Promise.all([shelf.fill(), worker.skipWaiting()])))
  worker.addEventListener('activate', (event) => event.waitUntil(Promise.all([shelf.clear(), worker.clients.claim()])))
  worker.addEventListener('message', (event) => {
    if (event.data === 'claim') event.waitUntil(worker.clients.claim())
    if (event.data === 'take over') event.waitUntil(worker.skipWaiting())
  })
  worker.addEventListener('fetch', (event) => {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (origin !== scope.origin) return
    const isInside = pathname.startsWith(`${base}/`)
    const path = isInside ? pathname.slice(base.length) : pathname
    const file = shelf.answerTo(request, path)
    // The mock also has the user's own paths.
    const isTaken = site?.segments?.includes(path.split('/')[1] ?? '') ?? site !== undefined
    const isOther = isTaken && isInside && request.mode !== 'navigate'
    if (file) event.respondWith(file)
    else if (isOther || isOfMock(path)) event.respondWith(answer(request))
  })
}

/** The files of a site, which its worker also serves offline. */
export interface SiteFiles {
  /** The first segments of the paths that the mock answers, for an application on its host. Undefined: all that are not files. */
  segments?: readonly string[] | undefined
  /** Differs if any file differs. */
  version: string
  /** Paths below the base, without a leading slash. */
  files: readonly string[]
  /** The first file of the application; undefined: there is none. */
  home?: string | undefined
}

function isOfMock(path: string): boolean {
  return /^\/(api|__mock|docs)(\/|$)|^\/openapi\.json$/.test(path)
}

/** The same headers as the mock's pages have on a server. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function createShelf({ base, pages, site }: ServeOptions & { base: string }) {
  const prefix = `knowledge-chat-mock ${base}/ `
  const name = prefix + site?.version
  const files = new Set(site?.files)

  /** The file of a page of the mock, below the address of its pages. */
  const pageFor = (path: string): string | undefined => {
    if (path === '/__mock/') return 'dashboard/index.html'
    if (path === '/docs') return 'docs/index.html'
    const [, asset] = /^\/(?:__mock\/assets|docs)\/([\w.-]+)$/.exec(path) ?? []
    return asset === undefined ? undefined : `dashboard/${asset}`
  }

  /** A path with another one that means the same. */
  const otherPath = (path: string): string | undefined => {
    if (path === '/__mock') return '/__mock/'
    if (path === '/docs/') return '/docs'
    return path === '/' && site && !site.home && !site.segments ? '/__mock/' : undefined
  }

  const take = async (address: string, headers: Record<string, string> = {}): Promise<Response> => {
    const entry = site && (await (await worker.caches.open(name)).match(address))
    const response = entry ?? (await worker.fetch(address))
    // A copy, because a browser opens no page from an answer that was redirected.
    const copy = new Response(response.body, { status: response.status, headers: response.headers })
    for (const [header, value] of Object.entries(headers)) copy.headers.set(header, value)
    return copy
  }

  return {
    /** Puts the files of the site into the browser's cache. */
    async fill() {
      if (!site) return
      const cache = await worker.caches.open(name)
      await cache.addAll(site.files.map((file) => new Request(`${base}/${file}`)))
    },

    async clear() {
      const names = await worker.caches.keys()
      await Promise.all(
        names.filter((it) => it.startsWith(prefix) && it !== name).map((it) => worker.caches.delete(it))
      )
    },

    /** The answer with a file; undefined: there is none for the request. */
    answerTo({ method, mode }: Request, path: string): Promise<Response> | undefined {
      if (method !== 'GET') return undefined
      const page = pages === undefined ? undefined : pageFor(path)
      if (page !== undefined) return take(`${pages}/${page}`, { 'Content-Security-Policy': policy })
      const isNavigation = mode === 'navigate'
      const other = isNavigation && pages !== undefined ? otherPath(path) : undefined
      if (other !== undefined) return Promise.resolve(Response.redirect(base + other, 302))
      if (!site) return undefined
      const file = path.slice(1)
      if (files.has(file) && !(isNavigation && file.endsWith('index.html'))) return take(`${base}/${file}`)
      return isNavigation && site.home && !isOfMock(path) ? take(`${base}/${site.home}`) : undefined
    }
  }
}
