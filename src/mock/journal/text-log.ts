/** Texts that were stored together. They can be read until they are released. */
export interface TextBlock {
  segment: Segment
  start: number
  /** Bytes. */
  size: number
}

interface Segment {
  bytes: Buffer
  used: number
  /** The number of places in the segment. */
  places: number
}

/** The size of the first segment in bytes. It is small because many sandboxes get few requests. */
const smallest = 4 * 1024
const largest = 64 * 1024

/**
 * Empty segments for reuse, as many as a journal of the usual size has. Allocating new ones would make the garbage
 * collector walk the whole state.
 */
const spares: Segment[] = []
const mostSpares = 256

/** Each text is stored after its length in bytes. */
const lengthBytes = 4
/** The highest number of UTF-8 bytes per UTF-16 unit. */
const characterBytes = 3

/**
 * Texts stored as bytes in segments, oldest first. The garbage collector does not walk bytes. Long-lived strings and
 * objects would cost it more than the requests that made them.
 */
export class TextLog {
  private current: Segment = newSegment(0)

  put(texts: readonly string[]): TextBlock {
    const segment = this.segmentFor(texts)
    const start = segment.used
    for (const text of texts) {
      const length = text === '' ? 0 : segment.bytes.write(text, segment.used + lengthBytes)
      segment.bytes.writeUInt32LE(length, segment.used)
      segment.used += lengthBytes + length
    }
    segment.places += 1
    return { segment, start, size: segment.used - start }
  }

  /** The text at an index of a place. */
  read({ segment: { bytes }, start }: TextBlock, index: number): string {
    let at = start
    for (let before = 0; before < index; before++) at += lengthBytes + bytes.readUInt32LE(at)
    const from = at + lengthBytes
    return bytes.toString('utf8', from, from + bytes.readUInt32LE(at))
  }

  release({ segment }: TextBlock): void {
    segment.places -= 1
    if (segment.places > 0) return
    segment.used = 0
    if (segment !== this.current && segment.bytes.length === largest && spares.length < mostSpares) spares.push(segment)
  }

  /** The current segment if the texts fit, or a new one. */
  private segmentFor(texts: readonly string[]): Segment {
    const { bytes, used } = this.current
    const room = bytes.length - used
    let most = 0
    for (const text of texts) most += lengthBytes + characterBytes * text.length
    if (most <= room) return this.current
    const size = texts.reduce((sum, text) => sum + lengthBytes + Buffer.byteLength(text), 0)
    if (size <= room) return this.current
    const usual = Math.min(largest, Math.max(smallest, 2 * bytes.length))
    const spare = usual === largest && size <= largest ? spares.pop() : undefined
    this.current = spare ?? newSegment(Math.max(usual, size))
    return this.current
  }
}

function newSegment(size: number): Segment {
  return { bytes: Buffer.allocUnsafeSlow(size), used: 0, places: 0 }
}
