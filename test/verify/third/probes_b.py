"""What is asked of each operation from E16 to E30 in the self-check."""

import io
import json
import zipfile

from probes_a import CREATE, CREDENTIAL, PERSONA, PROJECTS
from seed import file_id

INDEXING = '/api/manage/admin/connector/indexing-status'
UPLOAD = '/api/manage/admin/connector/file/upload'
OPEN = '/api/web-search/open-urls'
VALIDATE = '/api/admin/tool/custom/validate'
TOOL = '/api/admin/tool/custom/'
FILE = PROJECTS + 'file/'
INVITE = '/api/manage/admin/users'
DELETE_USER = '/api/manage/admin/delete-user'
ROLE = '/api/get-user-role'
LIMIT = '/api/admin/token-rate-limits/rate-limit/'


def details(number):
    return f'{PROJECTS}{number}/details'


def link(project, file):
    return f'{PROJECTS}{project}/files/{file}'


def e16(c):
    bodies = (
        {}, {'source_to_page': {'web': 2}}, {'source_to_page': {'web': 3}}, {'get_all_connectors': True},
        {'access_type_filters': ['private']}, {'access_type_filters': ['public', 'sync']},
        {'last_status_filters': ['in_progress']}, {'last_status_filters': ['success', 'failed']},
        {'name_filter': 'site 1'}, {'name_filter': 'ITE'}, {'name_filter': '1'}, {'name_filter': '('},
        {'docs_count_operator': '>', 'docs_count_value': 40}, {'docs_count_operator': '<', 'docs_count_value': 40},
        {'docs_count_operator': '=', 'docs_count_value': 40}, {'docs_operator': '=', 'docs_count_value': 40},
        {'access_type_filters': ['secret']}, {'secondary_index': 'no idea'}, {'docs_count_operator': '~'},
        {'last_status_filters': 'success'}, {'source_to_page': {'web': 'x'}},
    )
    for body in bodies:
        c.call('POST', INDEXING, 'admin', body=body)
    c.call('POST', INDEXING, 'curator', body={})
    c.call('POST', INDEXING, body={})
    c.call('POST', INDEXING, None, body={})


def packed(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, 'w') as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def e17(c):
    files = [
        ('files', 'Second File.TXT', b'two'), ('files', 'first.md', b'one'), ('files', 'Łódź 😀.csv', b'a,b'),
        ('files', 'empty.txt', b''), ('files', 'first.md', b'again'),
    ]
    c.call('POST', UPLOAD, 'admin', form=files)
    metadata = json.dumps([{'filename': 'a.txt', 'link': 'https://a.example'}])
    zipped = packed({'a.txt': 'a', 'sub/b.txt': 'b', '.onyx_metadata.json': metadata})
    c.call('POST', UPLOAD, 'admin', form=[('files', 'all.zip', zipped)])
    c.call('POST', UPLOAD, 'admin', form=[('files', 'bad.zip', b'no zip')])
    c.call('POST', UPLOAD, 'admin', form=[('files', 'big.bin', b'x' * 1200 * 1024)])
    c.call('POST', UPLOAD, 'admin', form=[('other', 'a.txt', b'a')])
    c.call('POST', UPLOAD, 'admin', body={'files': []})
    c.call('POST', UPLOAD, form=files)


def e18(c):
    urls = ['https://one.example/a', 'https://two.example/b?c=1', 'https://one.example/a', 'http://x.invalid/',
    'no url']
    c.call('POST', OPEN, body={'urls': urls})
    for wrong in ({'urls': []}, {}, {'urls': [1]}, {'urls': 'https://one.example'}, {'urls': None}):
        c.call('POST', OPEN, body=wrong)
    c.call('POST', OPEN, None, body={'urls': urls})


ORDERS = {
    'openapi': '3.0.0', 'info': {'title': 'Orders', 'version': '1'}, 'servers': [{'url': 'https://orders.example'}],
    'paths': {
        '/orders/{id}': {
            'get': {'operationId': 'getOrder', 'summary': 'Reads', 'parameters': []},
            'delete': {'operationId': 'deleteOrder', 'summary': 'Deletes'},
        },
        '/orders': {'post': {'operationId': 'addOrder', 'description': 'Adds'}},
    },
}


def e19(c):
    c.call('POST', VALIDATE, 'admin', body={'definition': ORDERS})
    for definition in (['x'], 'text', {}, {'paths': []}, {'paths': {'/a': {'get': {}}}}):
        c.call('POST', VALIDATE, 'admin', body={'definition': definition})
    c.call('POST', VALIDATE, 'admin', body={})
    c.call('POST', VALIDATE, body={'definition': ORDERS})


def e20(c):
    c.call('GET', PERSONA + '8', 'admin')
    c.call('DELETE', TOOL + '8', 'admin')
    c.call('GET', PERSONA + '8', 'admin')
    for number in (8, 'x'):
        c.call('DELETE', f'{TOOL}{number}', 'admin')
    c.call('DELETE', TOOL + '9')


def e21(c):
    c.call('GET', PROJECTS)
    c.call('POST', PROJECTS + '12/instructions', body={'instructions': 'New'})
    c.call('POST', CREATE, body={'project_id': 12})
    c.call('GET', PROJECTS)
    c.call('GET', PROJECTS, 'admin')
    c.call('GET', PROJECTS.rstrip('/'))


def e22(c):
    for number in (11, 12, 13, 1, 999, '11x', 'x'):
        c.call('GET', details(number))
    for number in (23, 25):
        c.call('POST', link(11, file_id(number)))
        c.call('GET', details(11))
    c.call('GET', details(11), None)


def e23(c):
    path = PROJECTS + '11/instructions'
    texts = (
        ' Two\tlines\nof "text" and it\'s 😀 ', 'é' * 300, 'word ' * 300, '', '<b>&amp;</b>', '007', '100%25 + 1',
        'x' * 70_000,
        'cafe\u0301', 'A normal text that is a bit longer than eighty characters, so that it may be cut somewhere.',
    )
    for text in texts:
        c.call('POST', path, body={'instructions': text})
        c.call('GET', PROJECTS)
    c.call('POST', PROJECTS + '1/instructions', body={'instructions': 'Not mine'})
    for wrong in ({'instructions': 5}, {'instructions': {}}, {}):
        c.call('POST', path, body=wrong)
    c.call('POST', path, raw=b'{"instructions": "plain"}', headers={'Content-Type': 'text/plain'})
    c.call('POST', PROJECTS + '1/instructions', None, body={'instructions': 'No token'})
    c.call('GET', PROJECTS, 'admin')


def e24(c):
    for _ in range(2):
        c.call('POST', link(12, file_id(23)))
        c.call('GET', details(12))
    c.call('POST', link(12, file_id(22)))
    c.call('GET', details(11))
    c.call('POST', link(12, file_id(25)))
    c.call('GET', details(12))
    c.call('POST', link(12, file_id(3)))
    c.call('POST', link(1, file_id(23)))
    for path in (link(12, 'no-uuid'), link('x', file_id(23)), link(999, file_id(23))):
        c.call('POST', path)


def e25(c):
    for number in range(21, 29):
        c.call('GET', FILE + file_id(number))
    c.call('GET', FILE + file_id(1))
    c.call('GET', FILE + 'no-uuid')
    c.call('GET', FILE + file_id(21), None)


def e26(c):
    c.call('DELETE', FILE + file_id(1), 'admin')
    c.call('GET', FILE + file_id(1), 'admin')
    c.call('GET', details(1), 'admin')
    c.call('GET', details(2), 'admin')
    c.call('DELETE', FILE + file_id(1), 'admin')
    c.call('DELETE', FILE + file_id(35))
    c.call('GET', FILE + file_id(36))
    c.call('DELETE', FILE + file_id(10))
    c.call('GET', FILE + file_id(10), 'admin')
    c.call('DELETE', FILE + 'no-uuid')
    c.call('GET', PROJECTS, 'admin')


def e27(c):
    c.call('PUT', INVITE, 'admin', body={'emails': ['a@one.example', 'b@one.example', 'a@one.example']})
    c.call('PUT', INVITE, 'admin', body={'emails': ['c@one.example', 'not-an-email', 'd@one.example']})
    c.call('PUT', INVITE, 'admin', body={'emails': ['not-an-email']})
    c.call('PUT', INVITE, 'admin', body={'emails': ['e@one.example']})
    for wrong in ({'emails': [5]}, {'emails': 'a@one.example'}, {}):
        c.call('PUT', INVITE, 'admin', body=wrong)
    for user in ('curator', 'user'):
        c.call('PUT', INVITE, user, body={'emails': ['f@one.example']})


def e28(c):
    def delete(email, user='admin'):
        c.call('DELETE', DELETE_USER, user, body={'user_email': email})

    for name in ('dina', 'dina', 'nobody'):
        delete(f'{name}@atelier.example')
    c.call('GET', ROLE, 'admin')
    delete('emil@atelier.example')
    for wrong in ({'user_email': 5}, {'user_email': []}, {}):
        c.call('DELETE', DELETE_USER, 'admin', body=wrong)
    delete('fay@atelier.example', 'user')
    delete('ada@atelier.example')
    c.call('GET', ROLE, 'admin')


def e29(c):
    for user in ('admin', 'user', 'curator', None):
        c.call('GET', ROLE, user)


def e30(c):
    for number in (1, 1, 2, 3, 'x', 999):
        c.call('DELETE', f'{LIMIT}{number}', 'admin')
    for user in ('curator', 'user', None):
        c.call('DELETE', LIMIT + '5', user)


def missing(c):
    c.call('GET', PERSONA + '999')
    c.call('GET', details(999))
    c.call('GET', '/api/nowhere')
    c.call('GET', CREDENTIAL + '/99999')


def deletions(c):
    for path in (PERSONA + '8', TOOL + '8', LIMIT + '3'):
        for _ in range(2):
            c.call('DELETE', path, 'admin')
