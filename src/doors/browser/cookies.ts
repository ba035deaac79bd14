/** The cookies of a page, which a worker neither sees in a request nor sets by a response. */
export interface Cookies {
  /** The header Cookie of a request. Undefined: it sends none. */
  of(request: Request): Promise<string | undefined>
  keep(header: string): Promise<void>
}

/** The browser's Cookie Store: pages and workers over https, or of localhost. */
interface Store {
  getAll(): Promise<{ name: string; value: string }[]>
  set(cookie: { name: string; value: string; path: string; sameSite: string }): Promise<void>
  delete(cookie: { name: string; path: string }): Promise<void>
}

/** Undefined: there is no Cookie Store here. */
export function pageCookies(): Cookies | undefined {
  const { cookieStore: store, location } = globalThis as { cookieStore?: Store; location?: { origin: string } }
  if (!store || !location) return undefined
  return {
    async of({ url, credentials }) {
      if (credentials === 'omit' || new URL(url).origin !== location.origin) return undefined
      const cookies = await store.getAll()
      return cookies.length === 0 ? undefined : cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    },

    async keep(header) {
      const [, name = '', value = ''] = /^([^=;]*)=([^;]*)/.exec(header) ?? []
      const path = /;\s*path=([^;]*)/i.exec(header)?.[1] ?? '/'
      if (/;\s*max-age=0/i.test(header)) await store.delete({ name, path })
      else await store.set({ name, value, path, sameSite: 'lax' })
    }
  }
}
