"""What is asked of each operation from E1 to E15 in the self-check."""

from seed import BEN, file_id, session_id

CREATE = '/api/chat/create-chat-session'
LIST = '/api/chat/get-user-chat-sessions'
SEARCH = '/api/chat/search'
SESSION = '/api/chat/delete-chat-session/'
PERSONA = '/api/persona/'
CREDENTIAL = '/api/manage/credential'
PUBLIC = '/api/manage/admin/credential'
SIMILAR = '/api/manage/admin/similar-credentials/'
KEY = '/api/manage/admin/credential/private-key/'
CONNECTOR = '/api/manage/connector/'
PROJECTS = '/api/user/projects/'


def pair(connector, credential):
    return f'{CONNECTOR}{connector}/credential/{credential}'


def e1(c):
    first = c.call('POST', CREATE, body={'persona_id': 3, 'description': 'One', 'project_id': 12})
    c.call('POST', CREATE, body={'persona_id': 2, 'description': 'Two', 'incognito': True})
    c.call('POST', CREATE, body={'description': 'No persona'})
    c.call('GET', LIST)
    c.call('GET', LIST, 'admin')
    c.call('GET', PROJECTS)
    c.call('POST', CREATE, body={'persona_id': 1, 'project_id': 1})
    c.call('GET', PROJECTS, 'admin')
    c.call('POST', CREATE, body={'persona_id': 999})
    c.call('POST', CREATE, body={'description': 'Smile 😀'})
    for wrong in (
        {'persona_id': 'abc'}, {'incognito': ['x']}, {'incognito_session_id': 'no'}, {'description': 5},
        {'project_id': {}}, [], 'text',
    ):
        c.call('POST', CREATE, body=wrong)
    c.call('POST', CREATE, raw=b'{"persona_id":')
    c.call('POST', CREATE, raw=b'')
    # The version of the uuid.
    c.note(first['chat_session_id'][14:15] if 'chat_session_id' in first else None)


def e2(c):
    for query in ('', '?page_size=2', '?project_id=11', '?only_non_project_chats=true', '?page_size=x'):
        c.call('GET', LIST + query)
    for _ in range(8):
        c.call('POST', CREATE, body={'description': 'Same name'}, note=False)
    c.call('GET', LIST)


def e3(c):
    queries = (
        '', '?query=budget', '?query=budget%20review', '?q=plan', '?query=plan', '?query=lan', '?page=2',
        '?page_size=3&page=2',
        '?page_size=4', '?query=ada', "?query=it's", '?page_size=7&page=2',
        '?page=0', '?page_size=x',
    )
    for query in queries:
        c.call('GET', SEARCH + query)
    c.call('DELETE', SESSION + session_id(101))
    c.call('GET', SEARCH + '?query=budget')


def e4(c):
    for _ in range(2):
        c.call('POST', CREATE, body={'description': 'Bug triage'}, note=False)
    c.call('GET', LIST)
    c.call('DELETE', SESSION + session_id(109))
    c.call('DELETE', SESSION + session_id(109))
    c.call('GET', LIST)
    c.call('DELETE', SESSION + session_id(102))
    c.call('GET', PROJECTS)
    c.call('POST', CREATE, body={'description': 'New'})
    c.call('GET', LIST)
    c.call('DELETE', SESSION + session_id(1))
    c.call('GET', LIST, 'admin')
    c.call('DELETE', SESSION + 'no-uuid')
    c.call('DELETE', SESSION + session_id(103), None)
    c.call('GET', LIST, 'admin')


def e5(c):
    for number in (1, 2, 3, 4, 5, 999, '2abc', 'x'):
        c.call('GET', f'{PERSONA}{number}')
    c.call('GET', PERSONA + '5', 'admin')
    c.call('PATCH', PERSONA + '2', 'admin', body={'name': 'Changed'})
    c.call('GET', PERSONA + '2')
    c.call('GET', PERSONA + '2', None)


LONG = 'word ' * 70 + 'é & <b>'


def e6(c):
    first = {
        'name': '  Ünder cafe\u0301 ', 'description': LONG, 'icon_name': 'StarIcon',
        'system_prompt': 'Smile 😀\r\nand\tgo',
        'task_prompt': 'two  spaces\r\n', 'display_priority': -3, 'num_chunks': 7, 'is_public': False,
        'starter_messages': [{'name': 'a', 'message': 'b'}, {'name': 'c', 'message': 'd'}],
        'search_start_date': '2026-03-04T05:06:07+02:00', 'llm_model_version_override': 'v-9', 'users': [BEN],
        'label_ids': [3, 1], 'tool_ids': [3, 1], 'document_set_ids': [2], 'groups': [9, 8],
        'user_file_ids': [file_id(2)],
    }
    c.call('PATCH', PERSONA + '2', 'admin', body=first)
    c.call('GET', PERSONA + '2', 'admin')
    second = {
        'num_chunks': 0, 'display_priority': 0, 'system_prompt': '', 'label_ids': [], 'starter_messages': [],
        'task_prompt': 'null', 'llm_relevance_filter': False, 'is_default_persona': True, 'remove_image': True,
    }
    c.call('PATCH', PERSONA + '2', 'admin', body=second)
    c.call('PATCH', PERSONA + '2', 'admin', body={'name': 'Only the name'})
    c.call('GET', PERSONA + '2', 'admin')
    c.call('PATCH', PERSONA + '9', 'admin', body={'description': 'Of nine', 'tool_ids': [1]})
    c.call('GET', PERSONA + '10', 'admin')
    c.call('PATCH', PERSONA + '2', body={'name': 'Not mine'})
    c.call('PATCH', PERSONA + '3', body={'name': 'Mine'})
    for wrong in (
        {'num_chunks': 'many'}, {'num_chunks': '12'}, {'users': ['ben']}, {'starter_messages': ['hi']},
        {'search_start_date': 'soon'}, {'name': 5}, {'name': None}, {'is_public': 'true'}, {'tool_ids': ['x']},
        {'starter_messages': [{'name': 'x'}]}, {'description': 'half', 'groups': 'x'}, {'tool_ids': [999]},
    ):
        c.call('PATCH', PERSONA + '11', 'admin', body=wrong)
    c.call('GET', PERSONA + '11', 'admin')


def e7(c):
    c.call('GET', PERSONA + '8', 'admin')
    c.call('DELETE', PERSONA + '8', 'admin')
    for number in (7, 8, 9):
        c.call('GET', f'{PERSONA}{number}', 'admin')
    c.call('DELETE', PERSONA + '8', 'admin')
    c.call('DELETE', PERSONA + 'x', 'admin')
    c.call('DELETE', PERSONA + '6')


NEW = {'credential_json': {'token': 'a-long-secret-of-mine'}, 'admin_public': False, 'source': 'slack'}


def e8(c):
    free = {'Token': 'a-long-secret-of-mine', 'inner': {'Key': 1.5, 'List': ['short']}, 'Count': 2.5, 'none': None,
    'ok': True}
    made = c.call('POST', CREDENTIAL, body={**NEW, 'credential_json': free, 'name': ' cafe\u0301 ', 'groups': [3, 1]})
    if isinstance(made, dict) and 'id' in made:
        c.call('GET', f'{CREDENTIAL}/{made["id"]}')
    c.call('POST', CREDENTIAL, body=NEW)
    c.call('POST', CREDENTIAL, body={**NEW, 'name': 'Of Ben', 'curator_public': True})
    c.call('GET', CREDENTIAL + '/4')
    c.call('POST', CREDENTIAL, body={**NEW, 'unknown': 1})
    for wrong in (
        {**NEW, 'source': 'No Such'}, {**NEW, 'credential_json': []}, {**NEW, 'groups': ['x']}, {'source': 'web'},
        {**NEW, 'admin_public': 'perhaps'}, {**NEW, 'name': ['x']},
    ):
        c.call('POST', CREDENTIAL, body=wrong)


def e9(c):
    for number in (1, 2, 3, 4, 5, 6, 99999, 'x'):
        c.call('GET', f'{CREDENTIAL}/{number}')
    c.call('GET', CREDENTIAL + '/3', 'admin')
    c.call('GET', CREDENTIAL + '/4', 'admin')


def e10(c):
    c.call('GET', PUBLIC, 'admin')
    c.call('POST', CREDENTIAL, 'admin', body={**NEW, 'admin_public': True, 'name': 'Public'})
    for user in ('admin', 'curator', 'user', None):
        c.call('GET', PUBLIC, user)


def e11(c):
    for source in ('slack', 'file', 'user_file', 'imap', 'SLACK', 'floppy'):
        c.call('GET', SIMILAR + source, 'admin')
    for query in ('?get_editable=true', '?editable=true', '?get_editable=maybe'):
        c.call('GET', SIMILAR + 'slack' + query, 'admin')
    c.call('GET', SIMILAR + 'slack', 'curator')
    c.call('GET', SIMILAR + 'slack')
    c.call('GET', SIMILAR + 'floppy')


def e12(c):
    fields = [('name', 'Kluč 🔑'), ('credential_json', '{"client": "abcdefghijklmnopqrs"}')]
    file = ('uploaded_file', 'key.pem', b'-----BEGIN')
    keys = [('field_key', 'private_key'), ('type_definition_key', 'pem')]
    c.call('PUT', KEY + '9', 'admin', form=[*fields, file, *keys])
    c.call('GET', CREDENTIAL + '/9', 'admin')
    c.call('GET', PUBLIC, 'admin')
    c.call('PUT', KEY + '10', 'admin', form=[file, *fields, *keys])
    c.call('PUT', KEY + '10', 'admin', form=[fields[1], file, *keys])
    c.call('PUT', KEY + '10', 'admin', form=[*fields, *keys])
    c.call('PUT', KEY + '10', 'admin', form=[('credential_json', 'nonsense'), file, *keys])
    c.call('PUT', KEY + 'x', 'admin', form=[*fields, file, *keys])
    c.call('PUT', KEY + '999', 'admin', form=[*fields, file, *keys])
    c.call('PUT', KEY + '9', form=[*fields, file, *keys])


def e13(c):
    for credential in (8, 9, 9):
        c.call('PUT', pair(17, credential), 'admin', body={'name': 'Mine', 'auto_sync_options': {}, 'groups': [1]})
    for connector in (17, 18, 1):
        c.call('GET', f'{CONNECTOR}{connector}', 'admin')
    c.call('PUT', pair(1, 9), 'admin', body={})
    c.call('PUT', pair(999, 9), 'admin', body={})
    c.call('PUT', pair(17, 999), 'admin', body={})
    for wrong in ({'groups': ['x']}, {'auto_sync_options': 'x'}, {'name': 1}):
        c.call('PUT', pair(18, 9), 'admin', body=wrong)
    c.call('PUT', pair('x', 9), 'admin', body={})


def e14(c):
    for connector, credential in ((17, 8), (17, 9), (18, 8), (19, 1), (19, 10)):
        c.call('PUT', pair(connector, credential), 'admin', body={}, note=False)
    c.call('DELETE', pair(19, 1), 'admin')
    c.call('GET', CONNECTOR + '19', 'admin')
    c.call('DELETE', pair(17, 8), 'admin')
    c.call('DELETE', pair(17, 8), 'admin')
    for connector in (17, 18):
        c.call('GET', f'{CONNECTOR}{connector}', 'admin')
    c.call('GET', CREDENTIAL + '/8', 'admin')
    c.call('DELETE', pair(17, 'x'), 'admin')
    c.call('DELETE', pair(999, 8), 'admin')


def e15(c):
    for number in (1, 13, 14, 16, 20, 999, 'x'):
        c.call('GET', f'{CONNECTOR}{number}')
    c.call('GET', CONNECTOR + '14', None)


def pairs(c):
    c.call('GET', CONNECTOR + '19', 'admin')
    for credential in (8, 9, 10):
        c.call('PUT', pair(19, credential), 'admin', body={})
    c.call('GET', CONNECTOR + '19', 'admin')
