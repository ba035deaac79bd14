"""The rows that the service starts with, as those of a modest staging."""

import copy
import time

HOUR = 3600
DAY = 24 * HOUR

ADMIN_TOKEN = 'third-admin-5f0c2b'
USER_TOKEN = 'third-user-9a41de'
CURATOR_TOKEN = 'third-curator-77ce10'


def uid(kind, number):
    return f'{kind:08x}-3333-4333-8333-{number:012x}'


def user_id(number):
    return uid(0xA0, number)


def file_id(number):
    return uid(0xF0, number)


def session_id(number):
    return uid(0xC0, number)


ADA, BEN, CLEO = user_id(1), user_id(2), user_id(3)


def fill(service):
    service.users = users()
    service.personas = personas()
    service.labels = {1: 'Writing', 2: 'Research', 3: 'Support'}
    service.tools = tools()
    service.document_sets = document_sets()
    service.credentials = credentials()
    service.connectors = connectors()
    service.pairs = pairs()
    service.sessions = sessions()
    service.projects = projects()
    service.files = files()
    # (project, file), in the order of linking.
    service.links = [
        (1, file_id(1)), (1, file_id(2)), (2, file_id(3)), (2, file_id(1)),
        (11, file_id(21)), (11, file_id(22)), (12, file_id(21)),
    ]
    service.limits = {number: {'id': number} for number in range(1, 11)}
    service.invited = []


def users():
    rows = [
        ('ada', 'admin', ADMIN_TOKEN), ('ben', 'basic', USER_TOKEN), ('cleo', 'curator', CURATOR_TOKEN),
        ('dina', 'basic', None), ('emil', 'basic', None), ('fay', 'basic', None), ('gus', 'basic', None),
        ('hana', 'basic', None), ('ivo', 'basic', None),
    ]
    return {
        user_id(number): {'id': user_id(number), 'email': f'{name}@atelier.example', 'role': role, 'token': token}
        for number, (name, role, token) in enumerate(rows, 1)
    }


def persona(number, name, owner, is_public=True, **rest):
    row = {
        'id': number, 'name': name, 'description': f'Helps with {name.lower()}.', 'is_public': is_public,
        'is_visible': True, 'icon_name': 'spark', 'user_file_ids': [], 'display_priority': number,
        'is_default_persona': False, 'builtin_persona': False, 'starter_messages': [], 'tool_ids': [1],
        'label_ids': [], 'owner': owner, 'users': [], 'groups': [], 'document_set_ids': [], 'num_chunks': 10,
        'llm_relevance_filter': False, 'llm_filter_extraction': False, 'system_prompt': f'You know {name.lower()}.',
        'task_prompt': 'Answer in short sentences.', 'replace_base_system_prompt': False, 'datetime_aware': True,
    }
    return {**row, **rest}


def personas():
    starters = [{'name': 'Plan', 'message': 'Plan my week'}, {'name': 'Review', 'message': 'Review this text'}]
    rows = [
        persona(1, 'Everything', None, is_default_persona=True, builtin_persona=True, tool_ids=[1, 2]),
        persona(
            2, 'Release notes', ADA, uploaded_image_id='image-2', user_file_ids=[file_id(1)], tool_ids=[1, 3, 2],
            starter_messages=starters, label_ids=[1, 2], users=[BEN, CLEO], groups=[4, 7], document_set_ids=[1, 2],
            llm_model_provider_override='provider-a', llm_model_version_override='model-1', num_chunks=25,
            search_start_date='2026-01-05T08:00:00Z', llm_relevance_filter=True,
        ),
        persona(3, 'Travel', BEN, starter_messages=starters[:1], label_ids=[3], document_set_ids=[1]),
        persona(4, 'Salaries', ADA, is_public=False, users=[BEN], tool_ids=[1, 4]),
        persona(5, 'Secrets of Ada', ADA, is_public=False, groups=[2]),
        persona(6, 'Contracts', CLEO, label_ids=[2], tool_ids=[3, 4]),
        *(persona(number, f'Spare {number}', ADA, tool_ids=[1, number]) for number in range(7, 15)),
    ]
    return {row['id']: row for row in rows}


def tools():
    definition = {'openapi': '3.0.0', 'info': {'title': 'Orders', 'version': '1'}, 'paths': {}}
    base = {
        'definition': definition, 'custom_headers': [], 'passthrough_auth': False, 'enabled': True,
        'chat_selectable': True, 'agent_creation_selectable': True, 'default_enabled': False,
    }
    rows = [
        {'id': 1, 'name': 'search', 'description': 'Searches.', 'display_name': 'Search',
        'in_code_tool_id': 'SearchTool'},
        {'id': 2, 'name': 'open_url', 'description': 'Opens pages.', 'display_name': 'Open',
        'in_code_tool_id': 'OpenTool'},
        {'id': 3, 'name': 'orders', 'description': 'Reads orders.', 'display_name': 'Orders', 'user_id': ADA,
         'custom_headers': [{'key': 'X-Team', 'value': 'shop'}]},
        {'id': 4, 'name': 'calendar', 'description': 'Reads dates.', 'display_name': 'Calendar', 'mcp_server_id': 2,
         'oauth_config_id': 1, 'oauth_config_name': 'calendar', 'passthrough_auth': True},
        *({'id': number, 'name': f'spare_{number}', 'description': 'Spare.', 'display_name': f'Spare {number}',
           'user_id': ADA} for number in range(7, 15)),
    ]
    return {row['id']: {**copy.deepcopy(base), **row} for row in rows}


def document_sets():
    def pair(number, name, source):
        return {'id': number, 'name': name, 'source': source, 'access_type': 'public'}

    federated = {'id': 1, 'name': 'Chat', 'source': 'federated_slack', 'entities': {'channels': ['general']}}
    rows = [
        {'id': 1, 'name': 'Handbook', 'description': 'How we work.', 'cc_pair_summaries': [pair(1, 'Site 1', 'web')],
         'is_up_to_date': True, 'is_public': True, 'users': [ADA], 'groups': [4], 'federated_connector_summaries': []},
        {'id': 2, 'name': 'Chats', 'description': 'All channels.', 'cc_pair_summaries': [pair(14, 'Channels', 'slack')],
         'is_up_to_date': False, 'is_public': False, 'users': [ADA, BEN], 'groups': [],
         'federated_connector_summaries': [federated]},
    ]
    return {row['id']: row for row in rows}


def credentials():
    rows = []

    def add(number, owner, source, admin_public, name, **rest):
        at = time.time() - (40 - number) * DAY
        row = {
            'id': number, 'credential_json': {'token': f'xoxb-{number:04d}-very-secret-{number}'}, 'user_id': owner,
            'admin_public': admin_public, 'source': source, 'name': name, 'curator_public': False, 'groups': [],
            'time_created': at, 'time_updated': at,
        }
        rows.append({**row, **rest})

    add(1, ADA, 'web', True, None, credential_json={})
    add(2, ADA, 'slack', True, 'Channels', groups=[4])
    add(3, ADA, 'slack', False, 'Private channels')
    add(4, BEN, 'slack', False, 'Of Ben')
    add(5, BEN, 'github', True, 'Code', curator_public=True)
    add(6, CLEO, 'file', True, 'Folders', credential_json={'path': '/srv', 'nested': {'key': 'abcdefghijklmnop',
    'n': 3}})
    add(7, ADA, 'user_file', True, 'Of users', credential_json={'token': 'short'})
    for number in range(8, 15):
        add(number, ADA, 'confluence', number % 2 == 0, f'Spare {number}')
    return {row['id']: row for row in rows}


def connectors():
    rows = []

    def add(number, name, source, input_type, config):
        at = time.time() - (60 - number) * DAY
        rows.append({
            'id': number, 'name': name, 'source': source, 'input_type': input_type, 'connector_specific_config': config,
            'time_created': at, 'time_updated': at + HOUR, 'refresh_freq': 3600, 'prune_freq': 86400,
            'indexing_start': at,
        })

    for number in range(1, 13):
        add(number, f'Site {number}', 'web', 'load_state', {'base_url': f'https://site-{number}.example'})
    add(13, 'Folders', 'file', 'load_state', {'file_locations': ['a.txt'], 'zip': {'depth': 2}})
    add(14, 'Channels', 'slack', 'poll', {'channels': ['general', 'help']})
    add(15, 'Code', 'github', 'poll', {'repo_owner': 'atelier'})
    for number in range(16, 25):
        add(number, f'Wiki {number}', 'confluence', 'poll', {'space': f'S{number}'})
    return {row['id']: row for row in rows}


def pairs():
    rows = []

    def add(number, connector, credential, name, access, last, finished, docs, **rest):
        row = {
            'id': number, 'connector_id': connector, 'credential_id': credential, 'name': name, 'access_type': access,
            'status': 'ACTIVE', 'last_status': last, 'last_finished_status': finished, 'docs': docs,
            'latest': docs // 3,
            'last_success': time.time() - number * HOUR, 'new_at': None,
        }
        rows.append({**row, **rest})

    for number in range(1, 13):
        last = ('success', 'failed', 'in_progress')[number % 3]
        finished = 'failed' if last == 'failed' else 'success'
        add(number, number, 1, f'Site {number}', ('public', 'private')[number % 2], last, finished, number * 10)
    add(13, 13, 6, 'Folders', 'private', 'completed_with_errors', 'completed_with_errors', 40)
    add(14, 14, 2, 'Channels', 'sync', 'success', 'success', 500, status='SCHEDULED')
    add(15, 15, 5, 'Code', 'public', 'canceled', 'canceled', 0, last_success=None, status='PAUSED')
    add(16, 16, 8, 'Wiki 16', 'public', 'not_started', 'success', 7)
    return {row['id']: row for row in rows}


TOPICS = (
    'Budget of next year', 'Holiday plans', 'Release notes for March', 'Onboarding checklist', 'Release plan',
    'Café & bar "Zur Linde"', 'Reading list 📚', 'Quarterly budget review', 'Bug triage', 'Kitchen rota', 'Map of Łódź',
    'Interview questions', 'Old ideas', 'Very old ideas',
)


def sessions():
    ages = (0.1, 0.5, 2, 5, 20, 30, 50, 80, 120, 300, 500, 700, 2000, 9000)
    rows = {}
    for base, owner, project in ((0, ADA, 1), (100, BEN, 11)):
        for number, (topic, age) in enumerate(zip(TOPICS, ages, strict=True), 1):
            at = time.time() - age * HOUR
            row = {
                'id': session_id(base + number), 'user_id': owner, 'name': topic if base else f'{topic} (Ada)',
                'time_created': at, 'time_updated': at + 60, 'shared_status': 'public' if number == 3 else 'private',
                'persona_id': (1, 2, 3)[number % 3], 'project_id': project if number in (2, 4) else None,
                'incognito': False,
            }
            if number % 4 == 1:
                row |= {'current_alternate_model': 'model-2', 'current_temperature_override': 0.5}
            rows[row['id']] = row
    return rows


def projects():
    rows = []

    def add(number, owner, name, **rest):
        at = time.time() - number * DAY
        rows.append({'id': number, 'user_id': owner, 'name': name, 'created_at': at, **rest})

    add(1, ADA, 'Launch', description='The launch in May', instructions='Be brief.')
    add(2, ADA, 'Hiring', description='All interviews')
    add(3, ADA, 'Empty')
    add(11, BEN, 'Garden', description='Plants & tools', instructions='Metric units only.')
    add(12, BEN, 'Trip', description='Summer')
    for number in range(13, 18):
        add(number, BEN if number % 2 else ADA, f'Spare {number}', description='Spare')
    return {row['id']: row for row in rows}


def files():
    rows = {}

    def add(number, owner, name, status='COMPLETED', kind='text/plain', chat='plain_text', wait=0, ends_as='COMPLETED'):
        at = time.time() - number * HOUR
        rows[file_id(number)] = {
            'id': file_id(number), 'user_id': owner, 'name': name, 'file_id': f'blob-{number}', 'created_at': at,
            'status': status, 'last_accessed_at': at, 'file_type': kind, 'chat_file_type': chat, 'tokens': 120 * number,
            'chunks': number, 'ready_at': time.time() + wait, 'ends_as': ends_as, 'gone_at': 0,
        }

    for base, owner in ((0, ADA), (20, BEN)):
        add(base + 1, owner, 'notes.txt')
        add(base + 2, owner, 'plan 📎.pdf', kind='application/pdf', chat='document')
        add(base + 3, owner, 'numbers.csv', kind='text/csv', chat='csv')
        add(base + 4, owner, 'photo.png', kind='image/png', chat='image')
        add(base + 5, owner, 'broken.pdf', 'FAILED', 'application/pdf', 'document')
        add(base + 6, owner, 'stopped.txt', 'CANCELED')
        add(base + 7, owner, 'fresh.txt', 'PROCESSING', wait=2)
        add(base + 8, owner, 'soon-failed.pdf', 'PROCESSING', 'application/pdf', 'document', 2, 'FAILED')
        for number in range(9, 17):
            add(base + number, owner, f'spare-{number}.txt' if number < 15 else 'twin.txt')
    return rows
