/** The part of swagger-ui-dist that we use. Its bundle is a separate script. */
declare function SwaggerUIBundle(options: object): { preauthorizeApiKey(scheme: string, token: string): void }

/** The address where the mock is mounted, without a trailing slash. */
const base = new URL('.', location.href).href.replace(/\/$/, '')
const form = document.querySelector('form') as HTMLFormElement
const home = document.querySelector('a.name') as HTMLAnchorElement

// The address has user and sandbox, so that a reload or a shared link keeps them.
for (const [name, value] of new URLSearchParams(location.search)) {
  const input = form.elements.namedItem(name)
  if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) input.value = value
}
// A user that does not exist.
if (form.elements.namedItem('user') instanceof HTMLSelectElement && !chosen().user) form.reset()

function chosen() {
  const { user, sandbox } = Object.fromEntries(new FormData(form)) as Partial<Record<'user' | 'sandbox', string>>
  return { user, sandbox: sandbox || 'default' }
}

/** The token of the chosen user, in the chosen sandbox. */
function token(): string {
  const { user, sandbox } = chosen()
  return sandbox === 'default' ? `${user}` : `${user}~${sandbox}`
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

type Operation = { operationId?: string; tags?: string[]; description?: string }

const response = await fetch(`${base}/openapi.json`)
const description = await response.json()
const paths = description.paths as Record<string, Record<string, Operation>>
const operations = Object.values(paths).flatMap((item) => Object.values(item).filter((it) => it.operationId))

// Each operation links to its exchanges and assumptions, in the chosen sandbox.
for (const operation of operations) {
  const id = operation.operationId as string
  const links = [
    ['Its exchanges', `requests?q=op%3A${id}`],
    ['Its assumptions', `assumptions?of=${id}`],
    ['Send it in the dashboard', `send/${id}`]
  ].map(([text, page]) => `[${text}](__mock/#/default/${page})`)
  operation.description = `${links.join(' · ')}\n\n${operation.description ?? ''}`
}
document.addEventListener(
  'click',
  ({ target }) => {
    const link = (target as Element).closest<HTMLAnchorElement>('#explorer a[href*="__mock/#/"]')
    if (link) link.href = link.href.replace(/#\/[^/]*/, `#/${chosen().sandbox}`)
  },
  true
)

// The dashboard names only the operation.
const wanted = operations.find(({ operationId }) => location.hash === `#${operationId}`)
if (wanted) history.replaceState(null, '', `${location.search}#/${wanted.tags?.[0] ?? 'default'}/${wanted.operationId}`)

const explorer = SwaggerUIBundle({
  // The mock may be reached at an address that it does not know.
  spec: { ...description, servers: [{ url: base }] },
  dom_id: '#explorer',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  displayOperationId: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  onComplete: () => authorize()
})

function authorize(): void {
  if (!form.checkValidity()) return
  explorer.preauthorizeApiKey('bearer', token())
  const { user, sandbox } = chosen()
  history.replaceState(null, '', `?${new URLSearchParams({ user: `${user}`, sandbox })}${location.hash}`)
  home.href = sandbox === 'default' ? './' : `__mock/#/${sandbox}/requests`
}
form.addEventListener('change', authorize)
form.addEventListener('submit', (event) => event.preventDefault())
