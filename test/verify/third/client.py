"""The client of the self-check: it keeps a transcript that two services can be compared by."""

import http.client
import json
import re
import threading
import time
from datetime import UTC, datetime

import seed
import shapes
from app import operations

TOKENS = {'admin': seed.ADMIN_TOKEN, 'user': seed.USER_TOKEN, 'curator': seed.CURATOR_TOKEN}


def plain(value):
    """A value without what differs at each run: a time is its form and its distance from now."""
    if isinstance(value, dict):
        return {key: plain(it) for key, it in value.items()}
    if isinstance(value, list):
        return [plain(it) for it in value]
    if isinstance(value, str) and shapes.DATE_TIME.fullmatch(value):
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return f'{re.sub("[0-9]", "9", value)} {round((moment.timestamp() - time.time()) / 600)}'
    return value


def form_of(parts, boundary='b0undary'):
    """Parts are (name, text) or (name, filename, bytes)."""
    content = b''
    for part in parts:
        head = f'Content-Disposition: form-data; name="{part[0]}"'
        if len(part) == 3:
            head += f'; filename="{part[1]}"\r\nContent-Type: application/octet-stream'
        body = part[-1] if isinstance(part[-1], bytes) else part[-1].encode()
        content += f'--{boundary}\r\n{head}\r\n\r\n'.encode() + body + b'\r\n'
    return content + f'--{boundary}--\r\n'.encode(), f'multipart/form-data; boundary={boundary}'


class Client:
    def __init__(self, port):
        self.port = port
        self.transcript = []
        # Replies that do not have the shape of the description.
        self.wrong = []

    def send(self, method, path, user='user', body=None, raw=None, form=None, headers=None):
        """The reply as (status, headers, bytes), without a note in the transcript."""
        sent = dict(headers or {})
        if user and 'Authorization' not in sent:
            sent['Authorization'] = f'Bearer {TOKENS[user]}'
        if form is not None:
            raw, sent['Content-Type'] = form_of(form)
        elif body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            sent.setdefault('Content-Type', 'application/json')
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=20)
        try:
            connection.request(method, path, raw, sent)
            reply = connection.getresponse()
            try:
                content = reply.read()
            except http.client.HTTPException as error:
                content = repr(error).encode()
            return reply.status, reply.getheaders(), content
        finally:
            connection.close()

    def call(self, method, path, user='user', note=True, **rest):
        """The body of the reply; status, media type and body are noted."""
        status, headers, content = self.send(method, path, user, **rest)
        media = {name.lower(): value for name, value in headers}.get('content-type')
        try:
            body = json.loads(content)
        except ValueError:
            body = content.decode('utf-8', 'replace')
        number = number_of(method, path)
        if number:
            try:
                self.wrong += [f'E{number} {it}' for it in shapes.wrong_reply(number, status, body)]
            except (KeyError, TypeError) as error:
                self.wrong.append(f'E{number} {error!r}')
        if note:
            self.note(method, path, status, media, plain(body), extra(headers))
        return body

    def note(self, *what):
        self.transcript.append(json.loads(json.dumps(what)))

    def at_once(self, *calls):
        """Sends requests at the same moment; a call is (method, path, options)."""
        replies = [None] * len(calls)

        def run(index, method, path, options):
            status, _, content = self.send(method, path, **options)
            replies[index] = (status, json.loads(content or b'null'))

        threads = [threading.Thread(target=run, args=(index, *call)) for index, call in enumerate(calls)]
        for it in threads:
            it.start()
        for it in threads:
            it.join()
        return replies


def extra(headers):
    return sorted(f'{name}: {value}' for name, value in headers if name.lower() in ('www-authenticate', 'deprecation',
        'allow'))


def number_of(method, path):
    bare = path.split('?')[0]
    return next((it.number for it in operations if it.method == method and it.regex.fullmatch(bare)), None)
