import type { Request } from './message.js'

/** The path, query and host of a request. */
export interface Target {
  host: string | undefined
  path: string
  search: string
}

/** An absolute target names the host itself, and the header is then ignored (RFC 9112, 3.2.2). */
export function readTarget({ target: url, headers }: Pick<Request, 'target' | 'headers'>): Target {
  const absolute = url.startsWith('/') ? null : /^https?:\/\/([^/?]*)/i.exec(url)
  const origin = absolute ? url.slice(absolute[0].length) : url
  const mark = origin.indexOf('?')
  const path = mark < 0 ? origin : origin.slice(0, mark)
  return {
    host: absolute ? absolute[1] : headers.host,
    path: path === '' ? '/' : path,
    search: mark < 0 ? '' : origin.slice(mark + 1)
  }
}

const controlPrefix = '/__mock'

export function isControlPath(path: string): boolean {
  return path.startsWith(controlPrefix) && (path.length === controlPrefix.length || path[controlPrefix.length] === '/')
}
