import type { Reply } from './client.js'

/** The highest number of characters of a reply in a report. */
const shownLength = 400
/** Shorter words are not secrets, because they occur in many texts. */
const secretLength = 8

/** Removes secrets from reports: tokens, values of extra headers, contents of credential_json. */
export class Redaction {
  private readonly secrets: string[]

  constructor({ token, userToken, headers }: { token: string; userToken: string | undefined; headers: object }) {
    const texts: string[] = [token, userToken ?? '', ...Object.values(headers)]
    this.secrets = texts.filter((text) => text.length >= secretLength).sort((a, b) => b.length - a.length)
  }

  text(text: string): string {
    return this.secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
  }

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
