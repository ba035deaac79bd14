import { page, type Registration } from './platform.js'

export interface RegisterOptions {
  /** The path below which pages are answered. Default: the folder of the worker's script. */
  scope?: string
}

/**
 * Registers the worker that answers for this page. Resolves once it does. Rejects if it cannot: browsers have service workers
 * only on https and localhost, a worker answers only pages below its scope, and some cannot be installed.
 */
export async function register(script: string | URL, { scope }: RegisterOptions = {}): Promise<void> {
  const { serviceWorker } = page.navigator
  if (!serviceWorker) throw new Error('This page can have no service worker: open it by https, or on localhost.')
  const answers = new Promise<void>((resolve) => {
    if (serviceWorker.controller) resolve()
    else serviceWorker.addEventListener('controllerchange', () => resolve())
  })
  const options = { type: 'module', scope }
  const registration = await serviceWorker.register(String(script), options)
  if (!page.location.href.startsWith(registration.scope)) {
    throw new Error(
      `The worker answers pages below ${registration.scope}, and this page is ${page.location.href}. Put the worker's script in the folder of the page, or in one above it.`
    )
  }
  await Promise.race([serviceWorker.ready, failed(registration)])
  // A page that was reloaded past its worker is claimed only on request.
  if (!serviceWorker.controller) (await serviceWorker.ready).active?.postMessage('claim')
  await answers
  // A browser stops an idle worker after about 30 seconds, and the journal is lost.
  page.setInterval(() => serviceWorker.controller?.postMessage('stay'), 20_000)
  // A new worker waits while the old one has requests in progress. Browsers check that rarely, so it is asked to check.
  page.setInterval(() => registration.waiting?.postMessage('take over'), 1000)
}

/** Rejects if the worker cannot be installed: without it, `ready` never resolves. */
function failed(registration: Registration): Promise<never> {
  const { installing } = registration
  return new Promise((_, reject) => {
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'redundant' && !registration.active) {
        reject(new Error('The worker could not be installed. The console of the browser says why.'))
      }
    })
  })
}
