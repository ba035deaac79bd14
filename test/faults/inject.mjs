// Loaded into the server's process before anything else. Finds where the mock's code calls node and its packages while
// requests are served, and lets it fail there on request:
//   call      a function of node or of a package, called by the mock's code, throws
//   callback  a callback that the mock's code handed over gets arguments of which any use throws
//   error     an emitter emits 'error' after an event
import { EventEmitter } from 'node:events'
import http from 'node:http'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import stream, { Readable, Writable } from 'node:stream'
import timers from 'node:timers'
import zlib from 'node:zlib'

const own = process.env.OWN_CODE
const { setImmediate } = globalThis
const require = createRequire(own)

/** Places that were passed since the last query. */
let seen = new Set()
let armed
let fired = 0

process.on('message', (message) => {
  process.send({ seen: [...seen], fired })
  armed = message.arm ?? undefined
  fired = 0
  seen = new Set()
})
process.channel.unref()

/** Where the mock's code called the caller of this; undefined for other code. */
function caller() {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 3
  const [, , , line = ''] = (new Error().stack ?? '').split('\n')
  Error.stackTraceLimit = limit
  return /main\.js:(\d+:\d+)\)?$/.exec(line)?.[1]
}

function meets(place) {
  seen.add(place)
  if (place !== armed) return false
  fired += 1
  return true
}

/** Code that takes the connection out of it can still end it. */
const poison = new Proxy(() => {}, {
  get: (_, name) => (name === 'socket' ? poison : name === 'destroy' ? () => {} : fail()),
  set: () => fail(),
  has: () => fail(),
  apply: () => fail(),
  construct: () => fail(),
  ownKeys: () => fail()
})

function fail() {
  throw new Error('injected')
}

const wrappers = new WeakMap()

/** A callback that fails when its place is armed; the same for the same callback, so that it can be taken off again. */
function wrapped(callback, place) {
  if (typeof callback !== 'function') return callback
  let made = wrappers.get(callback)
  if (!made) {
    made = function (...args) {
      return meets(place) ? callback.call(this, poison, poison, poison) : callback.apply(this, args)
    }
    wrappers.set(callback, made)
  }
  return made
}

/** Makes the calls of a function by the mock's code fail; `at`: which argument is a callback. */
function patch(target, name, at) {
  const original = target[name]
  if (typeof original !== 'function') return
  const changed = function (...args) {
    const place = caller()
    if (place === undefined) return original.apply(this, args)
    if (meets(`call ${name} ${place}`)) fail()
    if (at !== undefined) args[at] = wrapped(args[at], `callback ${name} ${place}`)
    return original.apply(this, args)
  }
  // setTimeout has properties that matter.
  Object.defineProperties(changed, Object.getOwnPropertyDescriptors(original))
  target[name] = changed
}

const { off, emit } = EventEmitter.prototype
for (const name of ['off', 'removeListener']) {
  EventEmitter.prototype[name] = function (type, listener) {
    const wrapper = wrappers.get(listener)
    if (wrapper) off.call(this, type, wrapper)
    return off.call(this, type, listener)
  }
}
for (const prototype of [EventEmitter.prototype, Readable.prototype]) {
  for (const name of ['on', 'once', 'prependListener']) {
    if (Object.hasOwn(prototype, name)) patch(prototype, name, 1)
  }
}
for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
  patch(globalThis, name, 0)
  timers[name] = globalThis[name]
}
patch(globalThis, 'queueMicrotask', 0)
patch(http, 'request', 1)
patch(stream, 'finished', 1)
for (const name of ['writeHead', 'write', 'end', 'setHeader', 'flushHeaders', 'setTimeout']) {
  for (const { prototype } of [http.ServerResponse, http.ClientRequest, http.OutgoingMessage]) {
    if (Object.hasOwn(prototype, name)) patch(prototype, name)
  }
}
for (const name of ['pipe', 'resume', 'pause', 'unshift', 'iterator']) patch(Readable.prototype, name)
for (const name of ['write', 'end']) patch(Writable.prototype, name)
for (const name of ['resume', 'pause', 'resetAndDestroy', 'destroySoon', 'setTimeout'])
  patch(net.Socket.prototype, name)
for (const name of ['parse', 'stringify']) patch(JSON, name)
for (const name of ['concat', 'from', 'byteLength']) patch(Buffer, name)
for (const name of ['toString', 'subarray']) patch(Buffer.prototype, name)
for (const name of ['decode']) patch(TextDecoder.prototype, name)
for (const name of ['crc32', 'gunzipSync']) patch(zlib, name)
patch(performance, 'now')
patch(Map.prototype, 'set')
patch(Set.prototype, 'add')
patch(Array.prototype, 'push')
syncBuiltinESMExports()

const yauzl = require('yauzl')
patch(yauzl, 'fromBufferPromise')
for (const name of ['eachEntry', 'openReadStreamPromise']) patch(yauzl.ZipFile.prototype, name)
for (const name of ['./multer.cjs', 'cors']) {
  const path = require.resolve(name)
  const original = require(path)
  const holder = { [name]: original }
  patch(holder, name)
  require.cache[path].exports = holder[name]
}
patch(require('rate-limiter-flexible').RateLimiterMemory.prototype, 'consume')

/** Emitters that do not fail by themselves: the process, a pool of connections, and a zip that is not being read. */
const others = new Set([process, process.stdout, process.stderr])
const kinds = new Set(['Agent', 'EventEmitter', 'Function', 'Control', 'Pipe', 'ZipFile'])
EventEmitter.prototype.emit = function (type, ...args) {
  const done = emit.call(this, type, ...args)
  const kind = this.constructor?.name
  if (type !== 'error' && !others.has(this) && !kinds.has(kind) && meets(`error ${kind} ${String(type)}`)) {
    // Its maker has handed it over by then.
    setImmediate(() => this.emit('error', new Error('injected')))
  }
  return done
}
