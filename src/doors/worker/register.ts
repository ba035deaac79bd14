import { page } from './platform.js'

export interface RegisterOptions {
  /** The path below which pages are answered. Default: the folder of the worker's script. */
  scope?: string
}

/**
 * Registers the worker that answers for this page. Resolves once it does. Rejects if the browser has no service workers,
 * which it has on https and on localhost only.
 */
export async function register(script: string | URL, { scope }: RegisterOptions = {}): Promise<void> {
  const { serviceWorker } = page.navigator
  if (!serviceWorker) throw new Error('This page can have no service worker: open it by https, or on localhost.')
  const answers = new Promise<void>((resolve) => {
    if (serviceWorker.controller) resolve()
    else serviceWorker.addEventListener('controllerchange', () => resolve())
  })
  await serviceWorker.register(String(script), { type: 'module', ...(scope !== undefined && { scope }) })
  await serviceWorker.ready
  // A page that was reloaded past its worker is claimed only when it asks.
  if (!serviceWorker.controller) (await serviceWorker.ready).active?.postMessage('claim')
  await answers
  keepAwake()
}

/** A browser ends a worker that has nothing to do after about 30 seconds, and with it the journal. */
function keepAwake(): void {
  const { serviceWorker } = page.navigator
  page.setInterval(() => serviceWorker?.controller?.postMessage('stay'), 20_000)
}
