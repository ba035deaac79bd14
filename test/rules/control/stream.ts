import { get, type IncomingMessage } from 'node:http'

export interface StreamEvent {
  id: string | undefined
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  data: any
}

/** A client of server-sent events. Everything that it waits for must arrive within some seconds. */
export class Stream {
  private text = ''
  private isEnded = false
  private wake: () => void = () => {}

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8')
    response.on('data', (chunk) => {
      this.text += chunk
      this.wake()
    })
    response.on('error', () => {})
    response.on('close', () => {
      this.isEnded = true
      this.wake()
    })
  }

  static open(url: string, headers: Record<string, string> = {}, query = ''): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const options = { agent: false, headers, signal: AbortSignal.timeout(300_000) }
      get(`${url}/__mock/events${query}`, options, (response) => resolve(new Stream(response))).on('error', reject)
    })
  }

  /** The next event. Comments are skipped. */
  async next(): Promise<StreamEvent> {
    for (;;) {
      const block = await this.block()
      if (block.startsWith(':')) continue
      const fields = Object.fromEntries(block.split('\n').map((row) => row.split(/: (.*)/s).slice(0, 2)))
      return { id: fields.id, event: fields.event, data: JSON.parse(fields.data) }
    }
  }

  /** The lines before the next empty one, comments included. */
  async block(): Promise<string> {
    for (;;) {
      const end = this.text.indexOf('\n\n')
      if (end >= 0) {
        const block = this.text.slice(0, end)
        this.text = this.text.slice(end + 2)
        return block
      }
      if (this.isEnded) throw new Error('The stream has ended.')
      await this.more()
    }
  }

  /** Resolves to the unread rest when the server has ended the stream. */
  async ended(): Promise<string> {
    while (!this.isEnded) await this.more()
    return this.text
  }

  close(): void {
    this.response.destroy()
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }
}
