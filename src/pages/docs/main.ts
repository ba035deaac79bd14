/** As much of swagger-ui-dist as is used here; its bundle is a script of its own. */
interface Explorer {
  preauthorizeApiKey(scheme: string, token: string): void
}
declare function SwaggerUIBundle(options: Record<string, unknown>): Explorer

/** The address that the mock is mounted at, without a slash at its end. */
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
  // The mock may be reached by another address than the one that it knows of.
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
