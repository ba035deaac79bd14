import { join } from 'node:path'
import type { Response, Router } from 'express'
import { lazily } from '../contract/lazy.js'
import { packageRoot } from '../contract/load.js'

/** Nothing is loaded from elsewhere, and nobody frames the pages. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

const headers = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache'
}

/**
 * The web pages, as the build left them in dist/pages: the explorer at /docs and, where the control API is on, the
 * dashboard at /__mock/. Their addresses are relative, so the mock may be mounted anywhere.
 */
export function pages({ hasControl }: { hasControl: boolean }): Router {
  const express = lazily('express') as typeof import('express')
  const folder = join(packageRoot(), 'dist/pages')
  const setHeaders = (response: Response) => void response.set(headers)
  const files = (name: string) => express.static(join(folder, name), { index: false, redirect: false, setHeaders })
  const router = express.Router({ strict: true })
  const page = (path: string, name: string) =>
    router.get(path, (_, response) => void response.set(headers).sendFile('index.html', { root: join(folder, name) }))
  const redirect = (from: string, to: string) =>
    router.get(
      from,
      (request, response) =>
        void response
          .status(302)
          .set('Location', request.baseUrl + to)
          .end()
    )

  redirect('/', hasControl ? '/__mock/' : '/docs')
  redirect('/docs/', '/docs')
  page('/docs', 'docs')
  router.use('/docs', files('docs'))
  if (!hasControl) return router
  redirect('/__mock', '/__mock/')
  page('/__mock/', 'dashboard')
  router.use('/__mock/assets', files('dashboard'))
  return router
}
