"""HTTP/1.1: reads requests from a socket and writes replies to it."""

import gzip
import json
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from app import App, Request

LARGEST = 64 * 1024 * 1024


def encode(value, service):
    if service.chose('keys-in-other-order'):
        value = turned(value)
    layout = {'indent': 2} if service.chose('json-indented') else {'separators': (',', ':')}
    if service.chose('json-in-ascii'):
        return json.dumps(value, **layout).encode()
    written = json.dumps(value, ensure_ascii=False, **layout)
    if service.chose('json-ends-with-newline'):
        written += '\n'
    try:
        return written.encode('utf-8')
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8. JSON can still escape it.
        return json.dumps(value, **layout).encode()


def turned(value):
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return [turned(it) for it in value] if isinstance(value, list) else value


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 120

    def setup(self):
        super().setup()
        self.memory = {}
        if self.server.service.chose('http-1.0'):
            self.protocol_version = 'HTTP/1.0'

    def log_message(self, *_):
        pass

    def serve(self):
        service = self.server.service
        try:
            raw = self.read_body()
        except ValueError:
            self.close_connection = True
            return self.write(self.server.app.error(400, 'The length of the body is not readable'), service)
        if raw is None:
            return None
        parts = urlsplit(self.path)
        request = Request(self.command, parts.path, parts.query, self.headers, raw, self.memory)
        if service.chose('slow'):
            time.sleep(0.25)
        reply = self.server.app.answer(request)
        return self.write(reply, service)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = serve

    def read_body(self):
        if self.headers.get('Transfer-Encoding', '').lower() == 'chunked':
            pieces = []
            while size := int(self.rfile.readline().split(b';')[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            while self.rfile.readline() not in (b'\r\n', b'\n', b''):
                pass
            return b''.join(pieces)
        length = int(self.headers.get('Content-Length') or 0)
        if length < 0:
            raise ValueError('a negative length')
        if length > LARGEST:
            self.close_connection = True
            self.write(self.server.app.error(413, 'Bodies are up to 64 MiB'), self.server.service)
            return None
        return self.rfile.read(length)

    def write(self, reply, service):
        content = reply.raw if reply.raw is not None else encode(reply.body, service)
        if reply.status == 204:
            content = b''
        if service.on('replies-cut-at-64-kib'):
            content = content[:65536]
        headers = [('Date', formatdate(usegmt=True)), *reply.headers]
        if service.chose('no-date'):
            headers = headers[1:]
        if reply.media and reply.status != 204 and (content or reply.raw is None):
            media = reply.media
            if service.chose('charset-named') and media == 'application/json':
                media = 'application/json; charset=utf-8'
            headers.append(('Content-Type', media))
        if service.chose('gzipped') and 'gzip' in self.headers.get('Accept-Encoding', '') and content:
            content = gzip.compress(content)
            headers += [('Content-Encoding', 'gzip'), ('Vary', 'Accept-Encoding')]
        headers += self.extra_headers(service)
        chunked = service.chose('chunked') and self.protocol_version == 'HTTP/1.1' and reply.status != 204
        if chunked:
            headers.append(('Transfer-Encoding', 'chunked'))
        elif reply.status != 204:
            size = len(content)
            if service.on('length-in-characters') and reply.status == 200:
                size = len(content.decode('utf-8', 'replace'))
                content = content[:size]
            headers.append(('Content-Length', str(size)))
        if service.chose('connection-close'):
            headers.append(('Connection', 'close'))
            self.close_connection = True
        self.send_head(reply.status, headers, service)
        if self.command != 'HEAD':
            self.wfile.write(as_chunks(content) if chunked else content)
        self.wfile.flush()

    def extra_headers(self, service):
        extra = []
        if service.chose('headers-of-limits'):
            extra += [('X-RateLimit-Limit', '1000'), ('X-RateLimit-Remaining', '999')]
        if service.chose('header-request-id'):
            extra.append(('X-Request-Id', service.new_uuid()))
        if service.chose('header-no-store'):
            extra += [('Cache-Control', 'no-store'), ('Pragma', 'no-cache')]
        if service.chose('sets-a-cookie'):
            extra.append(('Set-Cookie', 'seen=1; Path=/; HttpOnly'))
        if service.chose('allows-all-origins'):
            extra.append(('Access-Control-Allow-Origin', '*'))
        if service.chose('header-server'):
            extra.append(('Server', 'nginx'))
        if service.chose('header-version'):
            extra.append(('X-Api-Version', '1.0.0'))
        return extra

    def send_head(self, status, headers, service):
        if service.chose('headers-in-lower-case'):
            headers = [(name.lower(), value) for name, value in headers]
        if service.chose('headers-in-capitals'):
            headers = [(name.upper(), value) for name, value in headers]
        reason = '' if service.chose('no-reason-phrase') else self.responses.get(status, ('',))[0]
        lines = [f'{self.protocol_version} {status} {reason}', *(f'{name}: {value}' for name, value in headers)]
        self.wfile.write(('\r\n'.join(lines) + '\r\n\r\n').encode('latin-1', 'replace'))


def as_chunks(content):
    half = len(content) // 2
    pieces = [it for it in (content[:half], content[half:]) if it]
    return b''.join(b'%x\r\n%s\r\n' % (len(it), it) for it in pieces) + b'0\r\n\r\n'


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, service, port=0):
        super().__init__(('127.0.0.1', port), Handler)
        self.service = service
        self.app = App(service)

    def handle_error(self, request, client_address):
        # A client may leave at any time.
        pass
