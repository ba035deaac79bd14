import type { Reply } from './client.js'

/** How much of a reply a report shows, in characters. */
const shownLength = 400
/** Shorter words are no secrets, and stand in many a text. */
const secretLength = 8

/** Keeps secrets out of reports: tokens, values of extra headers, what credential_json holds. */
export class Redaction {
  private readonly secrets: string[]

  constructor({ token, userToken, headers }: { token: string; userToken: string | undefined; headers: object }) {
    const texts: string[] = [token, userToken ?? '', ...Object.values(headers)]
    this.secrets = texts.filter((text) => text.length >= secretLength).sort((a, b) => b.length - a.length)
  }

  text(text: string): string {
    return this.secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
  }

  /** The start of a reply. */
  reply({ status, headers, text, body }: Reply): string {
    const type = headers['content-type']
    if (text === '') return `${status} without a body`
    const shown = body === undefined ? text : JSON.stringify(body, hideCredentials)
    const cut = shown.length > shownLength ? `${shown.slice(0, shownLength)}…` : shown
    return this.text(`${status} ${type ?? 'without a Content-Type'}: ${cut}`)
  }
}

function hideCredentials(key: string, value: unknown): unknown {
  return key === 'credential_json' ? '***' : value
}
