import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml'
}

export interface Host {
  origin: string
  /** The requested paths. */
  readonly asked: string[]
  close(): Promise<void>
}

/** A host that serves only files: below `base` those of a folder, and others by their paths. */
export async function hostFiles(folder: string, base = '/', others: Record<string, string> = {}): Promise<Host> {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?')
    asked.push(path)
    const name = path.startsWith(base) ? join(folder, path.slice(base.length)) : join(folder, '404')
    const found = [others[path], name, join(name, 'index.html')].find(
      (it) => it && existsSync(it) && statSync(it).isFile()
    )
    const file = found ?? join(folder, '404.html')
    response.statusCode = found ? 200 : 404
    response.setHeader('Content-Type', types[extname(file)] ?? 'text/plain')
    response.end(existsSync(file) ? readFileSync(file) : 'nothing is there')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
