export { domainToUnicode } from './punycode.js'

const { URLSearchParams } = globalThis

export { URLSearchParams }

/** The bundle represents the package: its files are at the root. */
export function fileURLToPath(): string {
  return '/dist/browser.js'
}

export function pathToFileURL(path: string): { href: string } {
  return { href: path }
}

/** A domain in ASCII; empty: it is invalid. */
export function domainToASCII(domain: string): string {
  // A colon or a slash would end the host.
  if (/[\s:/?#@\\]/.test(domain)) return ''
  return URL.canParse(`ws://${domain}`) ? new URL(`ws://${domain}`).hostname : ''
}
