import { setImmediate } from 'node:timers/promises'
import { TextEncoder } from 'node:util'
import { isUint8Array } from 'node:util/types'
import type { BodyListener, RequestBody } from '../serve/message/message.js'

/** A body that the caller gives as a stream. It is read once, for all listeners. */
export class FetchBody implements RequestBody {
  isComplete: boolean
  readonly isExpected: boolean
  readonly parsed = undefined
  private readonly listeners: BodyListener[] = []
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private isPaused = false
  private isCancelled = false
  private wake = () => {}

  constructor(
    private readonly request: Request,
    private readonly onFailure: (error: unknown) => void
  ) {
    // Workers at the edge also give an empty body as a stream.
    this.isExpected = request.body !== null && request.headers.get('content-length') !== '0'
    this.isComplete = request.body === null
  }

  read(listener: BodyListener): void {
    this.listeners.push(listener)
    if (this.reader) return
    if (!this.request.body) {
      void Promise.resolve().then(() => listener.end())
      return
    }
    this.reader = this.request.body.getReader()
    void this.pull(this.reader)
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.wake()
  }

  /** Reads a small body that nobody has read. Servers such as workerd end a connection whose body was left. */
  async leave(): Promise<void> {
    const length = Number(this.request.headers.get('content-length'))
    if (this.reader || this.isComplete || !this.isExpected || !(length > 0 && length <= small)) return
    await new Promise<void>((resolve) => this.read({ data() {}, end: resolve, fail: () => resolve() }))
  }

  /** Cancels the rest of the stream. */
  cancel(): void {
    if (this.isComplete) return
    this.isCancelled = true
    this.wake()
    const { reader, request } = this
    const cancelled = reader ? reader.cancel() : request.body?.cancel()
    cancelled?.catch(() => {})
  }

  private async pull(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    let size = 0
    try {
      while (!this.isCancelled) {
        while (this.isPaused && !this.isCancelled) {
          await new Promise<void>((resolve) => {
            this.wake = resolve
          })
        }
        const { done, value } = await reader.read()
        if (done) break
        const chunk = typeof value === 'string' ? new TextEncoder().encode(value) : value
        if (!isUint8Array(chunk)) throw new TypeError('A body must consist of bytes.')
        for (const { data } of this.listeners) data(chunk)
        size += chunk.length
        // A body that is always ready must not block other work.
        if (size < breath) continue
        size = 0
        await setImmediate()
      }
      this.isComplete = !this.isCancelled
      for (const { end, fail } of this.listeners) {
        if (this.isComplete) end()
        else fail('its client has gone')
      }
    } catch (error) {
      this.onFailure(error)
      for (const { fail } of this.listeners) fail('its client has gone')
    }
  }
}

/** The number of bytes to read in one turn of the event loop. */
const breath = 1024 * 1024

/** The bytes of a body that is read although nothing needs it. */
const small = 64 * 1024
