import worker from './worker.js'

const onListen = ({ hostname, port }) => console.log(`http://${hostname}:${port}`)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, worker.fetch)
