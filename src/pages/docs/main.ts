/** The part of swagger-ui-dist that is used here. Its bundle is a separate script. */
interface Explorer {
  preauthorizeApiKey(scheme: string, token: string): void
}
declare function SwaggerUIBundle(options: Record<string, unknown>): Explorer

/** The address where the mock is mounted, without a trailing slash. */
const base = new URL('.', location.href).href.replace(/\/$/, '')
const form = document.querySelector('form') as HTMLFormElement

/** The token of the chosen user, in the chosen sandbox. */
function token(): string {
  const { user, sandbox } = Object.fromEntries(new FormData(form)) as Record<'user' | 'sandbox', string>
  return sandbox === 'default' || sandbox === '' ? user : `${user}~${sandbox}`
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

const response = await fetch(`${base}/openapi.json`)
const description = await response.json()
const explorer = SwaggerUIBundle({
  // The mock may be reached at another address than it knows.
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
  if (form.checkValidity()) explorer.preauthorizeApiKey('bearer', token())
}
form.addEventListener('change', authorize)
form.addEventListener('submit', (event) => event.preventDefault())
