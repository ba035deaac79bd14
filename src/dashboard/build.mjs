import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from '../build/notices.mjs'

/** Builds dist/pages/: static files. The build gives the dashboard the routes of the control API from its contract. */
export async function buildPages() {
  const { operations } = JSON.parse(readFileSync('contracts/control.json', 'utf8'))
  const routes = Object.entries(operations).map(([id, { method, path }]) => [id, { method, path }])
  // Files of an earlier build would also be served and packed.
  rmSync('dist/pages', { recursive: true, force: true })
  await build({
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
    outdir: 'dist/pages/dashboard',
    entryPoints: [
      { in: 'src/dashboard/pages/app.tsx', out: 'dashboard' },
      { in: 'src/dashboard/pages/styles/dashboard.css', out: 'dashboard' }
    ],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { CONTROL_ROUTES: JSON.stringify(Object.fromEntries(routes)) }
  })
  cpSync('src/dashboard/icon.svg', 'dist/pages/dashboard/icon.svg')
  cpSync('src/dashboard/pages/index.html', 'dist/pages/dashboard/index.html')
  // The explorer has another address, and so have its files.
  mkdirSync('dist/pages/docs')
  const html = readFileSync('src/dashboard/pages/index.html', 'utf8')
  writeFileSync('dist/pages/docs/index.html', html.replaceAll('"./assets/', '"./docs/'))
}
