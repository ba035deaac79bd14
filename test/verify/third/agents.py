"""E5 to E7: personas."""

import copy
import re
import time
import unicodedata
from datetime import datetime

from app import operation
from reading import Invalid, Reader, flag, integer, many, moment, record, text
from reading import uuid as uuid_kind
from store import Refused

TEXTS = (
    'name', 'description', 'system_prompt', 'task_prompt', 'llm_model_provider_override',
    'llm_model_version_override', 'uploaded_image_id', 'icon_name',
)
PLAIN = (
    'id', 'name', 'description', 'is_public', 'is_visible', 'uploaded_image_id', 'icon_name', 'user_file_ids',
    'display_priority', 'is_default_persona', 'builtin_persona', 'starter_messages', 'groups',
    'llm_model_provider_override', 'llm_model_version_override', 'num_chunks', 'llm_relevance_filter',
    'llm_filter_extraction', 'system_prompt', 'task_prompt', 'replace_base_system_prompt', 'datetime_aware',
)
# What a field has when a service replaces the whole record.
EMPTY = {
    'description': '', 'system_prompt': '', 'task_prompt': '', 'document_set_ids': [], 'tool_ids': [], 'groups': [],
    'label_ids': [], 'starter_messages': [], 'users': [], 'user_file_ids': [], 'is_default_persona': False,
    'replace_base_system_prompt': False,
}


def shown_user(service, user_id):
    user = service.users[user_id]
    return {'id': user['id'], 'email': user['email']}


def record_of(service, row, with_search_start=True):
    shown = {name: row[name] for name in PLAIN if name in row}
    if service.chose('empty-texts-left-out'):
        shown = {name: it for name, it in shown.items() if it != ''}
    tools = [service.tools[it] for it in row['tool_ids'] if it in service.tools]
    if service.chose('tools-by-name'):
        tools = sorted(tools, key=lambda it: it['name'])
    shown['tools'] = tools
    labels = [{'id': it, 'name': service.labels[it]} for it in row['label_ids'] if it in service.labels]
    shown['labels'] = labels[::-1] if service.chose('labels-backwards') else labels
    if row['owner']:
        shown['owner'] = shown_user(service, row['owner'])
    shown['users'] = [shown_user(service, it) for it in row['users'] if it in service.users]
    shown['document_sets'] = [service.document_sets[it] for it in row['document_set_ids']]
    if with_search_start and 'search_start_date' in row:
        shown['search_start_date'] = row['search_start_date']
    return copy.deepcopy(shown)


def visible(service, persona_id, user):
    row = service.personas.get(persona_id)
    if row is None:
        raise service.missing('Persona')
    if row['is_public'] or user['role'] == 'admin' or user['id'] in (row['owner'], *row['users']):
        return row
    raise service.foreign('Persona')


def editable(service, persona_id, user):
    row = visible(service, persona_id, user)
    if user['role'] != 'admin' and row['owner'] != user['id']:
        raise Refused(403, 'This persona is somebody else’s')
    return row


@operation(5, 'GET', '/api/persona/{persona_id}', path={'persona_id': integer})
def get_persona(call):
    service, persona_id = call.service, call.path['persona_id']
    if isinstance(persona_id, str):
        # A path that is not checked: read as a C programmer would.
        digits = re.match(r'-?\d+', persona_id)
        if not digits:
            reader = Reader(service)
            integer(persona_id, ['path', 'persona_id'], reader, True)
            raise Invalid(reader.problems)
        persona_id = int(digits[0])
    if service.on('e7-still-read-for-a-while'):
        gone = service.memory.get(('gone', persona_id))
        if gone and time.time() - gone[0] < 2:
            return record_of(service, gone[1])
    row = visible(service, persona_id, call.user)
    shown = record_of(service, row)
    if service.on('e5-cached'):
        at, known = service.memory.get(('read', persona_id), (0, None))
        if time.time() - at < 2:
            return known
        service.memory[('read', persona_id)] = (time.time(), shown)
    return shown


@operation(
    6,
    'PATCH',
    '/api/persona/{persona_id}',
    path={'persona_id': integer},
    body={
        **{name: text for name in TEXTS},
        **{name: many(integer) for name in ('document_set_ids', 'tool_ids', 'groups', 'label_ids')},
        'num_chunks': integer,
        'display_priority': integer,
        **{
            name: flag
            for name in (
                'is_public', 'llm_filter_extraction', 'llm_relevance_filter', 'datetime_aware', 'remove_image',
                'is_default_persona', 'replace_base_system_prompt',
            )
        },
        'starter_messages': many(record({'name': text, 'message': text}, ('name', 'message'))),
        'users': many(uuid_kind),
        'user_file_ids': many(text),
        'search_start_date': moment,
    },
)
def patch_persona(call):
    service = call.service
    row = editable(service, call.path['persona_id'], call.user)
    before = record_of(service, row, False)
    changes = change_of(service, dict(call.body))
    check_references(service, changes)
    if service.on('e6-lost-update'):
        # Reads the record, works on it, and writes all of it back.
        copied = copy.deepcopy(row)
        service.gap('e6-lost-update')
        copied.update(changes)
        service.personas[row['id']] = copied
        return record_of(service, copied, False)
    target = row
    if service.on('e6-writes-the-neighbour-too'):
        neighbour = service.personas.get(row['id'] + 1)
        if neighbour and 'description' in changes:
            neighbour['description'] = changes['description']
    kept = {name: row[name] for name in ('task_prompt',) if name in row}
    if service.chose('patch-replaces-all'):
        target.update(copy.deepcopy(EMPTY))
    if service.chose('patch-fills-in-defaults'):
        target.update({'is_default_persona': False, 'replace_base_system_prompt': False})
    if changes.pop('remove_image', False):
        target.pop('uploaded_image_id', None)
    target.update(changes)
    after = record_of(service, target, service.chose('patch-shows-search-start'))
    if service.on('e6-task-prompt-not-kept'):
        target.update(kept)
    if service.on('e6-answers-the-old'):
        return before
    return after


def change_of(service, changes):
    """What is stored of the fields that were sent; a right service stores them as they are."""
    on = service.on

    def each(names, change):
        for name in names:
            if isinstance(changes.get(name), str):
                changes[name] = change(changes[name])

    if on('e6-name-trimmed'):
        each(['name'], str.strip)
    if on('e6-icon-in-lower-case'):
        each(['icon_name'], str.lower)
    if on('e6-description-cut'):
        each(['description'], lambda it: it[:255])
    if on('e6-beyond-bmp-lost'):
        each(['system_prompt'], lambda it: ''.join('?' if ord(char) > 0xFFFF else char for char in it))
    if on('e6-escapes-html'):
        each(['description'], lambda it: it.replace('&', '&amp;').replace('<', '&lt;'))
    if on('e6-line-ends-changed'):
        each(['system_prompt', 'task_prompt'], lambda it: it.replace('\r\n', '\n'))
    if on('e6-name-composed'):
        each(['name'], lambda it: unicodedata.normalize('NFC', it))
    if on('e6-spaces-joined'):
        each(['task_prompt'], lambda it: re.sub(' +', ' ', it))
    if on('e6-word-null'):
        each(TEXTS, lambda it: '' if it in ('null', 'undefined', 'None') else it)
    if on('e6-false-ignored'):
        changes = {name: it for name, it in changes.items() if it is not False}
    if on('e6-zero-ignored'):
        changes = {name: it for name, it in changes.items() if it != 0 or isinstance(it, bool)}
    if on('e6-empty-text-ignored'):
        changes = {name: it for name, it in changes.items() if it != ''}
    if on('e6-empty-list-ignored'):
        changes = {name: it for name, it in changes.items() if it != []}
    if on('e6-negative-is-zero') and 'display_priority' in changes:
        changes['display_priority'] = max(0, changes['display_priority'])
    if on('e6-starters-backwards') and 'starter_messages' in changes:
        changes['starter_messages'] = changes['starter_messages'][::-1]
    if on('e6-one-starter') and 'starter_messages' in changes:
        changes['starter_messages'] = changes['starter_messages'][:1]
    if on('e6-prompts-swapped') and {'system_prompt', 'task_prompt'} <= changes.keys():
        changes['system_prompt'], changes['task_prompt'] = changes['task_prompt'], changes['system_prompt']
    if on('e6-version-as-provider') and 'llm_model_version_override' in changes:
        changes['llm_model_provider_override'] = changes.pop('llm_model_version_override')
    if on('e6-offset-lost') and 'search_start_date' in changes:
        changes['search_start_date'] = re.sub(r'[+-]\d\d:\d\d$', 'Z', changes['search_start_date'])
    if on('e6-search-start-lost'):
        changes.pop('search_start_date', None)
    if on('e6-day-only') and 'search_start_date' in changes:
        day = datetime.fromisoformat(changes['search_start_date']).date()
        changes['search_start_date'] = f'{day}T00:00:00Z'
    return changes


def check_references(service, changes):
    known = {
        'tool_ids': service.tools, 'document_set_ids': service.document_sets, 'label_ids': service.labels,
        'users': service.users,
    }
    for name, rows in known.items():
        unknown = [it for it in changes.get(name, []) if it not in rows]
        if unknown and service.chose('unknown-references-left-out'):
            changes[name] = [it for it in changes[name] if it in rows]
        elif unknown and name not in ('users',):
            raise service.missing(f'{name}: {unknown[0]}')
        elif unknown and not service.on('e6-users-of-any-kind'):
            raise service.missing(f'users: {unknown[0]}')


@operation(7, 'DELETE', '/api/persona/{persona_id}', path={'persona_id': integer})
def delete_persona(call):
    service, persona_id = call.service, call.path['persona_id']
    if persona_id not in service.personas and service.chose('delete-again-is-fine'):
        return None
    row = editable(service, persona_id, call.user)
    if row['builtin_persona']:
        raise Refused(403, 'A built-in persona stays')
    if service.on('e7-kept'):
        return None
    service.memory[('gone', persona_id)] = (time.time(), row)
    del service.personas[persona_id]
    if service.on('e7-takes-the-next'):
        service.personas.pop(persona_id + 1, None)
    if service.on('e7-takes-its-tools'):
        for tool_id in row['tool_ids']:
            service.tools.pop(tool_id, None)
    return None
