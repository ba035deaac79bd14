"""E21 to E26: projects and user files of the caller."""

import copy
import re
import time
from urllib.parse import unquote

from app import Reply, operation
from chat import remembered, summary
from reading import integer, text
from reading import uuid as uuid_kind
from store import DELETING


def shown_project(service, row):
    shown = {
        'id': row['id'], 'name': row['name'], 'created_at': service.time(row['created_at']), 'user_id': row['user_id'],
        'chat_sessions': [summary(service, it) for it in sessions_of(service, row)],
    }
    for name in ('description', 'instructions'):
        if name in row:
            shown[name] = row[name]
        elif service.chose('empty-texts-shown'):
            shown[name] = ''
    return shown


def sessions_of(service, row):
    rows = list(service.sessions.values())
    if service.on('e4-project-keeps-it'):
        rows += service.memory.get('ghosts', [])
    if service.on('e21-sessions-of-all-projects'):
        return [it for it in rows if it['user_id'] == row['user_id']]
    rows = [it for it in rows if it['project_id'] == row['id']]
    return rows[::-1] if service.chose('project-chats-backwards') else rows


def shown_file(service, row, project_id=None):
    service.settle(row)
    shown = {
        'id': row['id'], 'name': row['name'], 'user_id': row['user_id'], 'file_id': row['file_id'],
        'created_at': service.time(row['created_at']), 'status': row['status'],
        'last_accessed_at': service.time(row['last_accessed_at']), 'file_type': row['file_type'],
        'chat_file_type': row['chat_file_type'],
    }
    if row['status'] == 'COMPLETED':
        shown |= {'token_count': row['tokens'], 'chunk_count': row['chunks']}
    elif service.chose('counts-are-0'):
        shown |= {'token_count': 0, 'chunk_count': 0}
    if project_id is not None and not service.chose('no-project-id-in-files'):
        shown['project_id'] = project_id
    if service.chose('temp-ids'):
        shown['temp_id'] = f'temp-{row["file_id"]}'
    return shown


def own_project(service, project_id, user, is_open=False):
    row = service.projects.get(project_id)
    if not row:
        raise service.missing('Project')
    if row['user_id'] != user['id'] and not is_open:
        raise service.foreign('Project')
    return row


def own_file(service, file_id, user, is_open=False):
    row = service.file(file_id)
    if not row:
        raise service.missing('File')
    if row['user_id'] != user['id'] and not is_open:
        raise service.foreign('File')
    return row


@operation(21, 'GET', '/api/user/projects/')
def list_projects(call):
    service = call.service
    rows = [it for it in service.projects.values() if it['user_id'] == call.user['id']]
    if service.on('e21-everybody'):
        rows = list(service.projects.values())
    if service.on('e21-without-chats-left-out'):
        rows = [it for it in rows if sessions_of(service, it)]
    if service.on('e21-oldest-lost'):
        rows = rows[1:]
    if service.chose('newest-project-first'):
        rows = rows[::-1]
    shown = [shown_project(service, it) for it in rows]
    if service.on('e21-stale'):
        shown = remembered(service, ('projects', call.user['id']), shown, 2)
    return shown


@operation(22, 'GET', '/api/user/projects/{project_id}/details', path={'project_id': integer})
def project_details(call):
    service, on = call.service, call.service.on
    project_id = call.path['project_id']
    if isinstance(project_id, str):
        project_id = int(re.match(r'\d*', project_id)[0] or 0)
    row = own_project(service, project_id, call.user, on('e22-of-others'))
    linked = [service.file(file_id) for project, file_id in list(service.links) if project == row['id']]
    if on('e22-files-of-all-projects'):
        linked = [it for it in service.files.values() if it['user_id'] == call.user['id']]
    linked = [it for it in linked if it and (it['status'] != 'DELETING' or on('e26-still-in-details'))]
    if service.chose('failed-files-hidden'):
        linked = [it for it in linked if it['status'] != 'FAILED']
    if on('e22-first-file-lost'):
        linked = linked[1:]
    if service.chose('newest-file-first'):
        linked = linked[::-1]
    files = [shown_file(service, it, row['id']) for it in linked]
    if on('e22-files-are-stale'):
        files = remembered(service, ('files', row['id']), files, 2)
    used = {it.get('persona_id') for it in sessions_of(service, row)}
    if service.chose('all-personas-in-the-map'):
        used = set(service.personas)
    defaults = {
        str(it): service.personas[it]['is_default_persona'] for it in sorted(used) if it in service.personas
    }
    return {'project': shown_project(service, row), 'files': files, 'persona_id_to_is_default': defaults}


@operation(
    23,
    'POST',
    '/api/user/projects/{project_id}/instructions',
    path={'project_id': integer},
    body={'instructions': text},
    required=('instructions',),
)
def set_instructions(call):
    service, on = call.service, call.service.on
    row = own_project(service, call.path['project_id'], call.user, on('e23-of-others'))
    value = call.body.get('instructions', '')
    sent = value
    if on('e23-trimmed'):
        value = value.strip()
    if on('e23-cut-at-1000'):
        value = value[:1000]
    if on('e23-beyond-bmp-lost'):
        value = ''.join(char for char in value if ord(char) < 0x10000)
    if on('e23-lines-joined'):
        value = value.replace('\n', ' ')
    if on('e23-quotes-escaped'):
        value = value.replace("'", "''").replace('"', '\\"')
    if on('e23-appended') and row.get('instructions'):
        value = f'{row["instructions"]}\n{value}'
    if on('e23-tabs-as-spaces'):
        value = value.replace('\t', '    ')
    if on('e23-percent-decoded'):
        value = unquote(value)
    if on('e23-plus-as-space'):
        value = value.replace('+', ' ')
    if on('e23-cut-at-65535'):
        value = value.encode()[:65535].decode('utf-8', 'ignore')
    if value or not on('e23-empty-ignored'):
        if not on('e23-not-kept'):
            row['instructions'] = value
    if on('e23-in-all-projects'):
        for other in service.projects.values():
            if other['user_id'] == row['user_id']:
                other['instructions'] = value
    if on('e23-clears-the-description'):
        row.pop('description', None)
    if on('e23-answers-before-it-writes'):
        # Answers what was sent, and keeps a cut text.
        row['instructions'] = value[:80]
        return {'instructions': sent}
    return {'instructions': row.get('instructions', value) if not on('e23-not-kept') else value}


@operation(
    24,
    'POST',
    '/api/user/projects/{project_id}/files/{file_id}',
    path={'project_id': integer, 'file_id': uuid_kind},
)
def link_file(call):
    service, on = call.service, call.service.on
    project = own_project(service, call.path['project_id'], call.user, on('e24-project-of-others'))
    if isinstance(call.path['file_id'], str) and call.path['file_id'] not in service.files and on('e24-any-file-id'):
        raise service.missing('File')
    file = own_file(service, call.path['file_id'], call.user, on('e24-file-of-others'))
    if file['status'] == 'DELETING':
        raise service.missing('File')
    link = (project['id'], file['id'])
    if on('e24-not-linked'):
        return shown_file(service, file, project['id'])
    if on('e24-copies'):
        file = {**copy.copy(file), 'id': service.new_uuid()}
        service.files[file['id']] = file
        link = (project['id'], file['id'])
    if on('e24-moves'):
        service.links = [it for it in service.links if it[1] != file['id']]
    if on('e24-replaces-the-files'):
        service.links = [it for it in service.links if it[0] != project['id']]
    before = list(service.links)
    is_known = link in before
    service.gap('e24-twice-at-once')
    service.gap('e24-one-of-two-lost')
    if is_known and on('e24-again-unlinks'):
        service.links.remove(link)
    elif not is_known or on('e24-again-is-twice'):
        if on('e24-one-of-two-lost'):
            service.links = [*before, link]
        else:
            service.links.append(link)
        service.work_on(file)
    return shown_file(service, file, project['id'])


@operation(25, 'GET', '/api/user/projects/file/{file_id}', path={'file_id': uuid_kind})
def get_file(call):
    service, on = call.service, call.service.on
    file_id = call.path['file_id']
    if on('e25-of-the-last-reader'):
        # A field of the service that every request writes.
        service.memory['wanted'] = file_id
        service.gap('e25-of-the-last-reader')
        file_id = service.memory['wanted']
    row = own_file(service, file_id, call.user)
    if service.chose('deleted-files-gone-at-once') and row['status'] == 'DELETING':
        raise service.missing('File')
    if row['status'] == 'FAILED' and on('e25-failed-is-404'):
        raise service.missing('File')
    if row['status'] == 'CANCELED' and on('e25-canceled-is-500'):
        raise RuntimeError('no blob')
    if service.chose('reads-are-accesses'):
        row['last_accessed_at'] = time.time()
    shown = shown_file(service, row)
    if row['status'] == 'PROCESSING' and on('e25-processing-is-202'):
        return Reply(202, shown)
    if row['status'] == 'FAILED' and on('e25-failed-has-a-word'):
        shown['status'] = 'ERROR: no text in it'
    return shown


@operation(26, 'DELETE', '/api/user/projects/file/{file_id}', path={'file_id': uuid_kind})
def delete_file(call):
    service, on = call.service, call.service.on
    row = own_file(service, call.path['file_id'], call.user, on('e26-of-others'))
    if row['status'] == 'DELETING' and not service.chose('delete-again-is-fine'):
        raise service.missing('File')
    linked = [project for project, file_id in service.links if file_id == row['id']]
    agents = [it for it in service.personas.values() if row['id'] in it['user_file_ids']]
    names = [service.projects[it]['name'] for it in dict.fromkeys(linked)]
    shown = {
        'has_associations': bool(linked or agents),
        'project_names': names[::-1] if service.chose('project-names-backwards') else names,
        'assistant_names': [it['name'] for it in agents],
    }
    if on('e26-ids-for-names'):
        shown['project_names'] = linked
    if on('e26-kept'):
        return shown
    if on('e26-takes-the-projects'):
        for project in set(linked):
            del service.projects[project]
    row['status'] = 'DELETING'
    row['gone_at'] = time.time() + (0 if service.chose('deleted-files-gone-at-once') else DELETING)
    if on('e26-one-link-only'):
        # The file stays where it is linked more than once, and comes back there.
        row['status'] = 'COMPLETED'
        service.links.remove((linked[0], row['id'])) if linked else None
        if len(linked) < 2:
            row['status'] = 'DELETING'
    elif on('e26-takes-all-files-of-the-projects'):
        for project, file_id in service.links:
            if project in linked and file_id in service.files:
                service.files[file_id] |= {'status': 'DELETING', 'gone_at': row['gone_at']}
        service.links = [it for it in service.links if it[0] not in linked]
    elif not on('e26-still-in-details'):
        service.links = [it for it in service.links if it[1] != row['id']]
    if on('e26-takes-same-name'):
        for other in service.files.values():
            if (other['name'], other['user_id']) == (row['name'], row['user_id']):
                other |= {'status': 'DELETING', 'gone_at': row['gone_at']}
    return shown
