// The module node:timers in tests: the current timers, so that Jest's fake ones move those of src too.
exports.setTimeout = (...given) => globalThis.setTimeout(...given)
exports.clearTimeout = (...given) => globalThis.clearTimeout(...given)
exports.setInterval = (...given) => globalThis.setInterval(...given)
exports.clearInterval = (...given) => globalThis.clearInterval(...given)
exports.setImmediate = (...given) => globalThis.setImmediate(...given)
exports.clearImmediate = (...given) => globalThis.clearImmediate(...given)
