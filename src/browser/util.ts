import isDeepStrictEqual from 'fast-deep-equal'

const { TextDecoder, TextEncoder } = globalThis

export { isDeepStrictEqual, TextDecoder, TextEncoder }

export const types = {
  isPromise: (value: unknown): value is Promise<unknown> => value instanceof Promise
}

export function isUint8Array(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}
