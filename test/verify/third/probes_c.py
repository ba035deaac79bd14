"""What is asked of the whole service in the self-check: tokens, HTTP, races, time."""

import socket
import time
from http import client

import seed
from probes_a import CONNECTOR, CREATE, CREDENTIAL, LIST, NEW, PERSONA, PROJECTS, pair
from probes_b import FILE, INDEXING, ROLE, details, link
from seed import file_id


def auth(c):
    token = seed.USER_TOKEN
    for value in (f'Bearer {token}', f'bearer {token}', token, f'Basic {token}', 'Bearer', 'Bearer nobody', 'Bearer  '):
        c.call('GET', ROLE, None, headers={'Authorization': value})
    c.call('GET', ROLE, None)
    c.call('POST', PROJECTS + '11/instructions', None, raw=b'{')


def http(c):
    """The bytes of replies."""
    paths = (
        ('GET', PROJECTS + '11/details'), ('HEAD', PROJECTS), ('OPTIONS', PROJECTS), ('GET', '/api//get-user-role'),
        ('GET', '/api/nowhere'), ('PUT', PROJECTS),
    )
    for method, path in paths:
        for encoding in ('identity', 'gzip'):
            at = time.time()
            with socket.create_connection(('127.0.0.1', c.port), timeout=20) as it:
                lines = (
                    f'{method} {path} HTTP/1.1', 'Host: x', f'Authorization: Bearer {seed.USER_TOKEN}',
                    f'Accept-Encoding: {encoding}', '', '',
                )
                it.sendall('\r\n'.join(lines).encode())
                content, is_kept = received(it)
            c.note(method, path, lines_of(content), is_kept, time.time() - at > 0.2)


def received(connection):
    """The first bytes, and whether the connection is then kept."""
    content = connection.recv(1 << 20)
    connection.settimeout(0.1)
    try:
        while True:
            more = connection.recv(1 << 20)
            if not more:
                return content, False
            content += more
    except TimeoutError:
        return content, True


def lines_of(content):
    head, _, body = content.partition(b'\r\n\r\n')
    kept = [it for it in head.decode('latin-1').split('\r\n') if not it.lower().startswith(('date:', 'x-request-id:'))]
    names = [it.split(':')[0] for it in head.decode('latin-1').split('\r\n')[1:]]
    shown = len(body) if b'gzip' in head else body[:40].decode('latin-1')
    media = [it for it in kept if it.lower().startswith('content-type')]
    return kept[:1] + sorted(names) + media, shown, body[-2:].decode('latin-1'), b'\\u' in body


def one_connection(c):
    """Two users on one connection, as behind a proxy."""
    connection = client.HTTPConnection('127.0.0.1', c.port, timeout=20)
    for token in (seed.ADMIN_TOKEN, seed.USER_TOKEN, None):
        connection.request('GET', ROLE, headers={'Authorization': f'Bearer {token}'} if token else {})
        reply = connection.getresponse()
        c.note(reply.status, reply.read().decode())
    connection.close()


def many(c):
    c.note(sorted({c.send('GET', ROLE)[0] for _ in range(70)}))


def two_callers(c):
    for _ in range(4):
        replies = c.at_once(
            ('GET', ROLE, {'user': 'admin'}), ('GET', ROLE, {'user': 'user'}), ('GET', ROLE, {'user': 'curator'})
        )
        c.note(replies)


def creates_at_once(c):
    for _ in range(3):
        replies = c.at_once(*[('POST', CREATE, {'body': {'description': 'x'}})] * 3)
        c.note(len({body['chat_session_id'] for _, body in replies}))
    c.note(len(c.call('GET', LIST, note=False)['sessions']))


def patches_at_once(c):
    for round_ in range(3):
        changes = ({'name': f'name {round_}'}, {'description': f'text {round_}'}, {'num_chunks': 50 + round_})
        c.at_once(*[('PATCH', PERSONA + '9', {'user': 'admin', 'body': it}) for it in changes])
        c.call('GET', PERSONA + '9', 'admin')


def credentials_at_once(c):
    replies = c.at_once(*[('POST', CREDENTIAL, {'body': {**NEW, 'name': f'n{at}'}}) for at in range(4)])
    c.note(len({body['id'] for _, body in replies}))


def pairs_at_once(c):
    c.at_once(*[('PUT', pair(19, it), {'user': 'admin', 'body': {}}) for it in (8, 9, 10, 11)])
    c.note(len(c.call('GET', CONNECTOR + '19', 'admin', note=False)['credential_ids']))


def links_at_once(c):
    for number in (23, 24, 29):
        c.at_once(*[('POST', link(12, file_id(number)), {})] * 3)
    c.note(len(c.call('GET', details(12), note=False)['files']))


def two_files_at_once(c):
    c.at_once(*[('POST', link(12, file_id(it)), {}) for it in (23, 24, 29, 30)])
    c.note(len(c.call('GET', details(12), note=False)['files']))


def reads_at_once(c):
    numbers = (21, 22, 23, 24)
    replies = c.at_once(*[('GET', FILE + file_id(it), {}) for it in numbers])
    c.note([body.get('id') == file_id(it) for it, (_, body) in zip(numbers, replies, strict=True)])


def processing(c):
    """How a file that is linked moves on; the moments are wide apart, as the machine may be slow."""
    c.call('POST', link(12, file_id(23)))
    c.call('GET', FILE + file_id(23))
    time.sleep(2.5)
    c.call('GET', FILE + file_id(23))
    c.call('GET', FILE + file_id(28))
    time.sleep(3.5)
    c.call('GET', FILE + file_id(23))


def indexing(c):
    c.call('PUT', pair(20, 8), 'admin', body={'name': 'New one'})
    time.sleep(2.3)
    c.call('POST', INDEXING, 'admin', body={'name_filter': 'New one'})
