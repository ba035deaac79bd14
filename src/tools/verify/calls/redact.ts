import type { Json } from '../../../engine/contract/load.js'
import { jsonOf } from '../../encoded.js'
import type { Reply } from './client.js'

/** The highest number of characters of a reply in a report. */
const shownLength = 400
/** Shorter words occur in many texts, so only archives hide them, and only as whole values. */
const secretLength = 8

/** Removes secrets from reports: tokens, values of extra headers, and fields of replies. */
export class Redaction {
  /** The secrets that the run has sent to be stored. */
  readonly sent = new Set<string>()
  private secrets: readonly string[] = []
  private readonly short = new Set<string>()
  /** The shown text of a reply, because many findings may show the same large one. */
  private readonly replies = new WeakMap<Reply, string>()

  constructor(
    sent: { token: string; userToken: string | undefined; headers: { [name: string]: string } },
    private readonly fields: readonly string[]
  ) {
    for (const text of [sent.token, sent.userToken ?? '', ...Object.values(sent.headers)]) this.hide(text)
  }

  /** Also hides this secret, in addresses too. */
  hide(secret: string): void {
    for (const it of new Set([secret, encodeURIComponent(secret)])) {
      if (it.length < secretLength) this.short.add(it)
      else this.secrets = [...this.secrets, it].sort((a, b) => b.length - a.length)
    }
  }

  /** Notes the texts in the objects of secret fields. In a form, an object is a text. */
  note(body: Json | undefined, depth = 0): void {
    if (typeof body !== 'object' || body === null) {
      // Values of examples may be anywhere.
      const isSecret = depth > 1 && typeof body === 'string' && body.length >= secretLength && body.includes('kcm')
      if (isSecret) this.sent.add(JSON.stringify(body).slice(1, -1))
      return
    }
    for (const [name, value] of Object.entries(body)) {
      const isSecret = depth > 0 || this.fields.includes(name)
      const object = isSecret && depth === 0 && typeof value === 'string' ? jsonOf(value)?.value : value
      if (isSecret || typeof value === 'object') this.note(object as Json, isSecret ? depth + 1 : 0)
    }
  }

  text(text: string): string {
    return this.secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
  }

  /** A text of an archive. */
  archived(text: string): string {
    const words = [...this.short].filter((it) => it !== '').map((it) => it.replace(/[^\w~-]/g, '\\$&'))
    const whole = new RegExp(`(?<![\\w/~-])(${words.join('|')})(?![\\w~-])`, 'g')
    return words.length > 0 ? this.text(text).replace(whole, '***') : this.text(text)
  }

  /** A text, cut to the shown length. */
  cut(text: string): string {
    const shown = this.text(text)
    return shown.length > shownLength ? `${shown.slice(0, shownLength)}…` : shown
  }

  /** The text of a reply without its secret fields. */
  whole({ text, body }: Reply): string {
    const hidden = (key: string, value: unknown) => (this.fields.includes(key) ? '***' : value)
    return body === undefined ? text : JSON.stringify(body, hidden)
  }

  reply(reply: Reply): string {
    const previous = this.replies.get(reply)
    if (previous !== undefined) return previous
    const { status, headers, text } = reply
    const type = headers['content-type']
    const body = this.cut(this.whole(reply))
    const shown = text === '' ? `${status} without a body` : `${status} ${type ?? 'without a Content-Type'}: ${body}`
    this.replies.set(reply, shown)
    return shown
  }
}
