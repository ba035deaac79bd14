import worker from './worker.js'

const { url } = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => worker.fetch(request) })
console.log(url.origin)
