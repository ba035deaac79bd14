import { worker } from './platform.js'
import { createShelf, isOfMock, type SiteFiles } from './shelf.js'

interface FetchTarget {
  fetch(request: Request): Promise<Response>
}

export interface ServeOptions {
  /** The address of the folder `dist/pages` of this package, with the dashboard and the explorer. */
  pages?: string
  /** The files of the site, for visits without a network. */
  site?: SiteFiles
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
    // A static host has only its files. The mock also has the user's own paths.
    const isOther = site !== undefined && isInside && request.mode !== 'navigate'
    if (file) event.respondWith(file)
    else if (isOther || isOfMock(path)) event.respondWith(answer(request))
  })
}
