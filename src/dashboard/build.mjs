import { cpSync, readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const explorer = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt']

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
    outdir: 'dist/pages',
    entryPoints: [
      { in: 'src/dashboard/pages/app.tsx', out: 'dashboard/dashboard' },
      { in: 'src/dashboard/pages/styles/dashboard.css', out: 'dashboard/dashboard' },
      { in: 'src/dashboard/docs/main.ts', out: 'docs/docs' },
      { in: 'src/dashboard/docs/docs.css', out: 'docs/docs' }
    ],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { CONTROL_ROUTES: JSON.stringify(Object.fromEntries(routes)) }
  })
  for (const page of ['dashboard', 'docs']) {
    cpSync(`src/dashboard/${page === 'dashboard' ? 'pages' : page}/index.html`, `dist/pages/${page}/index.html`)
    cpSync('src/dashboard/icon.svg', `dist/pages/${page}/icon.svg`)
  }
  for (const file of explorer) cpSync(`node_modules/swagger-ui-dist/${file}`, `dist/pages/docs/${file}`)
}
