/** What node has in modules and browsers have as globals. */
const { performance, ReadableStream } = globalThis

export { performance, ReadableStream }
