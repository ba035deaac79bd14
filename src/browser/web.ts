/** What node has in modules and browsers have everywhere. */
const { performance, ReadableStream } = globalThis

export { performance, ReadableStream }
