/** The parts of the browser's API that our pages and workers use. */
interface Worker {
  state: string
  postMessage(message: string): void
  addEventListener(type: 'statechange', listener: () => void): void
}

export interface Registration {
  scope: string
  installing: Worker | null
  waiting: Worker | null
  active: Worker | null
}

interface Container {
  controller: Worker | null
  ready: Promise<Registration>
  addEventListener(type: string, listener: () => void): void
  register(script: string, options: object): Promise<Registration>
}

interface WorkerEvent {
  waitUntil(done: Promise<unknown>): void
}

export interface FetchEvent extends WorkerEvent {
  request: Request
  respondWith(response: Promise<Response>): void
}

export interface Cache {
  addAll(addresses: readonly Request[]): Promise<void>
  match(request: string, options?: object): Promise<Response | undefined>
}

interface Scope {
  caches: { open(name: string): Promise<Cache>; keys(): Promise<string[]>; delete(name: string): Promise<boolean> }
  clients: { claim(): Promise<void> }
  registration: { scope: string }
  skipWaiting(): Promise<void>
  fetch: typeof fetch
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
  addEventListener(type: 'message', listener: (event: WorkerEvent & { data: unknown }) => void): void
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void
}

export const page = globalThis as unknown as {
  location: { href: string }
  navigator: { serviceWorker?: Container }
  setInterval(callback: () => void, milliseconds: number): unknown
}

export const worker = globalThis as unknown as Scope
