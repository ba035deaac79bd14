/** Browsers name others too, so the first that fits counts. */
const browsers: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdgA?(?:iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Headless Chrome', /\bHeadlessChrome\/(\d+)/],
  ['Chrome', /\b(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)/]
]

/** Programs under the name that people use. Others keep their own. */
const programs: Readonly<Record<string, string>> = {
  'python-requests': 'Python requests',
  'python-urllib': 'Python urllib',
  'python-httpx': 'Python httpx',
  'go-http-client': 'Go',
  postmanruntime: 'Postman',
  'apache-httpclient': 'Apache HttpClient',
  wget: 'Wget'
}

const longest = 40

/** What a client is, by its User-Agent: "Chrome 130", "curl 8.1", "node". Undefined: it does not say. */
export function clientOf(userAgent: string): string | undefined {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1]
    if (version !== undefined && (name !== 'Safari' || userAgent.includes('Safari/'))) return `${name} ${version}`
  }
  const [, product = '', version] = /^\s*([\w.!+-]+)(?:\/(\d{1,6}(?:\.\d{1,6})?)\b)?/.exec(userAgent) ?? []
  if (product === '') return undefined
  const name = programs[product.toLowerCase()] ?? product.slice(0, longest)
  if (name === 'Mozilla') return 'a browser'
  return version === undefined ? name : `${name} ${version}`
}
