// A proxy that checks nothing: what passing a request on costs by itself.
import http from 'node:http'

const [port, upstream] = process.argv.slice(2).map(Number)
const agent = new http.Agent({ keepAlive: true })

http
  .createServer((request, response) => {
    const { method, url: path, headers } = request
    const onward = http.request({ port: upstream, agent, method, path, headers }, (reply) => {
      response.writeHead(reply.statusCode, reply.headers)
      reply.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  .listen(port, '127.0.0.1')
