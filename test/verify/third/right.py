"""The rules of the description, on the right service. Each is a sentence that must hold."""

import time
from datetime import datetime

import seed
from client import Client
from probes_a import CONNECTOR, CREATE, CREDENTIAL, LIST, NEW, PERSONA, PROJECTS, PUBLIC, SEARCH, SESSION, SIMILAR, pair
from probes_b import DELETE_USER, FILE, INDEXING, INVITE, LIMIT, OPEN, ORDERS, ROLE, TOOL, UPLOAD, VALIDATE
from probes_b import details, link
from seed import file_id, session_id


def failures(start):
    server = start()
    c = Client(server.server_port)
    found = []

    def holds(sentence, is_true):
        if not is_true:
            found.append(sentence)

    try:
        for rules in (chat, agents, credentials, connectors, tools, projects, files, people, everywhere):
            rules(c, holds)
    finally:
        server.shutdown()
        server.server_close()
    return found + c.wrong


def status(c, method, path, user='user', **rest):
    return c.send(method, path, user, **rest)[0]


def chat(c, holds):
    sent = {'persona_id': 3, 'project_id': 12, 'description': 'Mine 😀'}
    made = c.call('POST', CREATE, body=sent)['chat_session_id']
    listed = c.call('GET', LIST)['sessions']
    holds('E1: the new session is the first of E2', listed[0]['id'] == made and listed[0]['persona_id'] == 3)
    others = c.call('GET', LIST, 'admin')['sessions']
    holds('E2: nobody else sees it', not {it['id'] for it in listed} & {it['id'] for it in others})
    holds('E2: all of them are listed', len(listed) == 15)
    in_project = c.call('GET', details(12))['project']['chat_sessions']
    holds('2.12: it is in its project', [it['id'] for it in in_project] == [made])
    pages, page = [], 1
    while page:
        reply = c.call('GET', f'{SEARCH}?page={page}&page_size=4')
        pages += [chat['id'] for group in reply['groups'] for chat in group['chats']]
        holds('E3: has_more and next_page agree', reply['has_more'] == ('next_page' in reply))
        page = reply.get('next_page')
    holds('E3: pages have each session once', sorted(pages) == sorted(it['id'] for it in listed))
    reply = c.call('GET', SEARCH + '?query=budget%20REVIEW')
    names = [chat['name'] for group in reply['groups'] for chat in group['chats']]
    holds('E3: a query is searched', names == ['Quarterly budget review'])
    holds('E4: sessions of others stay', status(c, 'DELETE', SESSION + session_id(1)) == 404)
    holds('E4: answers 200', status(c, 'DELETE', SESSION + made) == 200)
    holds('E4: it is gone', made not in [it['id'] for it in c.call('GET', LIST)['sessions']])
    holds('E4: it is gone from its project', c.call('GET', details(12))['project']['chat_sessions'] == [])


def agents(c, holds):
    before = c.call('GET', PERSONA + '2', 'admin')
    change = {
        'name': ' 😀 <&> ', 'description': 'x' * 3000, 'num_chunks': 0, 'is_public': False, 'starter_messages': [],
        'groups': [], 'system_prompt': 'a\r\nb', 'search_start_date': '2026-03-04T05:06:07+02:00',
    }
    changed = c.call('PATCH', PERSONA + '2', 'admin', body=change)
    sent = {key: it for key, it in change.items() if key != 'search_start_date'}
    holds('E6: the response has what was sent', all(changed[key] == it for key, it in sent.items()))
    read = c.call('GET', PERSONA + '2', 'admin')
    holds('E6: what was sent is read', read == {**before, **change})
    holds('E5: a private one is not for all', status(c, 'GET', PERSONA + '5') == 404)
    holds('E6: not for all who read it', status(c, 'PATCH', PERSONA + '2', body={}) == 403)
    refused = status(c, 'PATCH', PERSONA + '2', 'admin', body={'name': 'No', 'num_chunks': 'many'})
    holds('E6: a refused request changes nothing', refused == 422 and c.call('GET', PERSONA + '2', 'admin') == read)
    holds('E7: answers 200', status(c, 'DELETE', PERSONA + '7', 'admin') == 200)
    holds('E7: it is gone', status(c, 'GET', PERSONA + '7', 'admin') == 404)
    holds('E7: the others stay', status(c, 'GET', PERSONA + '8', 'admin') == 200)


def credentials(c, holds):
    body = {**NEW, 'name': ' N 😀', 'groups': [2], 'credential_json': {'Key': {'n': 1.5, 'no': None}, 's': 'x' * 20}}
    made = c.call('POST', CREDENTIAL, body=body)
    holds('E8: the ids agree', made['id'] == made['credential']['id'])
    kept = ('name', 'groups', 'admin_public', 'source')
    holds('E8: what was sent is stored', all(made['credential'][it] == body[it] for it in kept))
    holds('E8: curator_public is false by default', made['credential']['curator_public'] is False)
    holds('E8: numbers and null stay', made['credential']['credential_json']['Key'] == {'n': 1.5, 'no': None})
    at = datetime.fromisoformat(made['credential']['time_created']).timestamp()
    holds('E8: the time is now', abs(at - time.time()) < 30)
    holds('E9: reads it', c.call('GET', f'{CREDENTIAL}/{made["id"]}') == made['credential'])
    holds('E9: others do not', c.call('GET', f'{CREDENTIAL}/{made["id"]}', 'curator')['success'] is False)
    listed = c.call('GET', PUBLIC, 'admin')
    holds('E10: lists the public ones', all(it['admin_public'] for it in listed) and len(listed) == 9)
    similar = c.call('GET', SIMILAR + 'file', 'admin')
    holds('E11: of the source only', [it['source'] for it in similar] == ['file'])
    form = [
        ('uploaded_file', 'k.pem', b'\x00\xff\r\n--x'), ('name', 'Kluč'), ('credential_json', '{"a": "b"}'),
        ('field_key', 'k'), ('type_definition_key', 't'),
    ]
    put = c.call('PUT', '/api/manage/admin/credential/private-key/11', 'admin', form=form)
    read = c.call('GET', CREDENTIAL + '/11', 'admin')
    holds('E12: changes the name', put['name'] == read['name'] == 'Kluč')
    holds('E12: changes the values', set(read['credential_json']) == {'a', 'k'})
    holds('E12: the rest stays', read['admin_public'] is False and 'id' not in put)


def connectors(c, holds):
    holds('E15: unknown ids get a status', c.call('GET', CONNECTOR + '999')['success'] is False)
    for credential in (8, 9):
        holds('E13: succeeds', c.call('PUT', pair(17, credential), 'admin', body={'name': 'Wiki'})['success'] is True)
    holds('E13: both are there', c.call('GET', CONNECTOR + '17')['credential_ids'] == [8, 9])
    holds('E14: succeeds', c.call('DELETE', pair(17, 8), 'admin')['success'] is True)
    holds('E14: only that one is gone', c.call('GET', CONNECTOR + '17')['credential_ids'] == [9])
    holds('E14: the credential stays', c.call('GET', CREDENTIAL + '/8', 'admin')['id'] == 8)
    seen, total = [], 1
    for page in range(1, 4):
        groups = c.call('POST', INDEXING, 'admin', body={'source_to_page': {'web': page}})
        web = [it for it in groups if it['source'] == 'web']
        seen += [row['cc_pair_id'] for it in web for row in it['indexing_statuses']]
        total = web[0]['total_pages'] if web else total
    holds('E16: pages have each row once', sorted(seen) == list(range(1, 13)) and total == 2)
    for field, value, member in (
        ('access_type_filters', ['private'], 'access_type'), ('last_status_filters', ['failed'], 'last_status'),
    ):
        groups = c.call('POST', INDEXING, 'admin', body={field: value})
        rows = [row for it in groups for row in it['indexing_statuses']]
        holds(f'E16: {field}', rows and all(row[member] in value for row in rows))
    uploaded = c.call('POST', UPLOAD, 'admin', form=[('files', 'B c.TXT', b''), ('files', 'a 😀.md', b'1')])
    holds('E17: keeps the names', uploaded['file_names'] == ['B c.TXT', 'a 😀.md'])
    holds('E17: a path for each', len(uploaded['file_paths']) == 2)


def tools(c, holds):
    reply = c.call('POST', OPEN, body={'urls': ['https://a.example/1', 'https://b.example/2']})
    holds('E18: a result for each', len(reply['results']) == 2 and reply['provider_type'] == 'service_web_crawler')
    holds('E18: the type', {it['type'] for it in reply['results']} == {'open_url'})
    for body in ({}, {'urls': []}, {'urls': [1]}, {'urls': 'https://a.example'}):
        holds(f'E18: refuses {body}', status(c, 'POST', OPEN, body=body) == 422)
    methods = c.call('POST', VALIDATE, 'admin', body={'definition': ORDERS})['methods']
    one = '/orders/{id}'
    wanted = [('getOrder', one, 'get'), ('deleteOrder', one, 'delete'), ('addOrder', '/orders', 'post')]
    holds('E19: all methods', [(it['name'], it['path'], it['method']) for it in methods] == wanted)
    holds('E20: answers 200', status(c, 'DELETE', TOOL + '8', 'admin') == 200)
    left = c.call('GET', PERSONA + '8', 'admin')['tools']
    holds('E20: the tool is gone from personas, the others stay', [it['id'] for it in left] == [1])


def projects(c, holds):
    holds('E21: own ones only', {it['id'] for it in c.call('GET', PROJECTS)} == {11, 12, 13, 15, 17})
    holds('E22: not for others', status(c, 'GET', details(1)) == 404)
    for text in (' a\n\t"b" \'c\' 😀 <&> ', '', 'x' * 5000):
        put = c.call('POST', PROJECTS + '11/instructions', body={'instructions': text})
        project = c.call('GET', details(11))['project']
        holds('E23: instructions are stored', put == {'instructions': text} and project['instructions'] == text)
        holds('E23: the rest stays', project['description'] == 'Plants & tools')
    holds('E23: not for others', status(c, 'POST', PROJECTS + '1/instructions', body={'instructions': 'x'}) == 404)


def files(c, holds):
    def linked(project, user='user'):
        return [it['id'] for it in c.call('GET', details(project), user)['files']]

    for _ in range(2):
        holds('E24: answers the file', c.call('POST', link(12, file_id(23)))['id'] == file_id(23))
        holds('3.3: a link is there once', linked(12) == [file_id(21), file_id(23)])
    holds('E24: other links stay', linked(11) == [file_id(21), file_id(22)])
    holds('E24: not for files of others', status(c, 'POST', link(12, file_id(3))) == 404)
    holds('E24: not for projects of others', status(c, 'POST', link(1, file_id(23))) == 404)
    c.at_once(*[('POST', link(13, file_id(24)), {})] * 6)
    holds('3.3: also at the same moment', linked(13) == [file_id(24)])
    deadline = time.time() + 10
    statuses = []
    while (now := c.call('GET', FILE + file_id(23))['status']) != 'COMPLETED' and time.time() < deadline:
        statuses.append(now)
        time.sleep(0.1)
    holds('E25: the file is worked on, and then done', now == 'COMPLETED' and set(statuses) == {'PROCESSING'})
    holds('3.1: FAILED files are read', c.call('GET', FILE + file_id(25))['status'] == 'FAILED')
    gone = c.call('DELETE', FILE + file_id(21))
    holds('E26: names its projects', gone['has_associations'] is True and gone['project_names'] == ['Garden', 'Trip'])
    holds('3.2: its links are gone', file_id(21) not in linked(11) + linked(12))
    holds('E26: the others stay', linked(11) == [file_id(22)] and linked(12) == [file_id(23)])
    holds('E26: not for files of others', status(c, 'DELETE', FILE + file_id(1)) == 404)
    time.sleep(1.2)
    holds('E26: it is gone', status(c, 'GET', FILE + file_id(21)) == 404)


def people(c, holds):
    holds('E27: a bare integer', c.call('PUT', INVITE, 'admin', body={'emails': ['a@x.example']}) == 1)
    holds('E27: refuses all', status(c, 'PUT', INVITE, 'admin', body={'emails': ['b@x.example', 'no']}) == 400)
    holds('E27: nobody was invited', c.call('PUT', INVITE, 'admin', body={'emails': []}) == 1)

    def deleted(name):
        return status(c, 'DELETE', DELETE_USER, 'admin', body={'user_email': f'{name}@atelier.example'})

    holds('E28: only that user is gone', [deleted(it) for it in ('dina', 'dina', 'emil')] == [200, 404, 200])
    roles = [c.call('GET', ROLE, it)['role'] for it in ('admin', 'user', 'curator')]
    holds('E29: the role of the caller', roles == ['admin', 'basic', 'curator'])
    limits = [status(c, 'DELETE', f'{LIMIT}{it}', 'admin') for it in (1, 1, 2)]
    holds('E30: only that limit is gone', limits == [200, 404, 200])


def everywhere(c, holds):
    import app

    for it in app.operations:
        path = it.pattern.replace('{session_id}', session_id(105)).replace('{file_id}', file_id(22))
        path = path.replace('{source_type}', 'web')
        for name in it.path:
            path = path.replace('{' + name + '}', '11')
        holds(f'5.1: E{it.number} needs a token', status(c, it.method, path, None, body={}) == 401)
        if '/admin/' in path:
            holds(f'5.2: E{it.number} is for administrators', status(c, it.method, path, body={}) == 403)
        if any(kind.__name__ in ('integer', 'uuid', 'read') for kind in it.path.values()):
            for name in it.path:
                bad = it.pattern.replace('{' + name + '}', 'not!right')
                for other in it.path:
                    bad = bad.replace('{' + other + '}', file_id(22) if other == 'file_id' else '11')
                holds(f'7.1: E{it.number} refuses a bad {name}', status(c, it.method, bad, 'admin', body={}) == 422)
    holds('a role is still read', status(c, 'GET', ROLE) == 200 and seed.USER_TOKEN != seed.ADMIN_TOKEN)
