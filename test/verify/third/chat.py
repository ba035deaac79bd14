"""E1 to E4: chat sessions of the caller."""

import time
import uuid
from datetime import UTC, datetime

from app import operation
from reading import at_least, flag, integer, text
from reading import uuid as uuid_kind
from store import Refused


def summary(service, row):
    shown = {
        'id': row['id'],
        'name': row['name'],
        'time_created': service.time(row['time_created']),
        'time_updated': service.time(row['time_updated']) if not is_forgotten(service, row) else None,
        'shared_status': 'unlisted' if service.chose('other-shared-status') else row['shared_status'],
    }
    if 'persona_id' in row:
        shown['persona_id'] = row['persona_id']
    for name, usual in (('current_alternate_model', ''), ('current_temperature_override', 0.7)):
        if name in row:
            shown[name] = row[name]
        elif service.chose('summaries-with-defaults'):
            shown[name] = usual
    return shown


def is_forgotten(service, row):
    return service.on('e2-old-time-null') and time.time() - row['time_updated'] > 7 * 86400


def own_sessions(service, user):
    """Newest first; incognito ones are in no list."""
    rows = [
        it
        for it in list(service.sessions.values())
        if it['user_id'] == user['id'] and (not it['incognito'] or service.chose('incognito-listed'))
    ]
    return sorted(rows, key=lambda it: it['time_updated'], reverse=True)


@operation(
    1,
    'POST',
    '/api/chat/create-chat-session',
    body={
        'persona_id': integer,
        'description': text,
        'project_id': integer,
        'incognito': flag,
        'incognito_session_id': uuid_kind,
    },
)
def create_session(call):
    service, body, user = call.service, call.body, call.user
    check_session(service, body, user)
    if service.on('e1-beyond-bmp-is-500') and any(ord(it) > 0xFFFF for it in body.get('description', '')):
        raise RuntimeError('incorrect string value')
    if service.on('e1-same-id-at-once'):
        # An id made of the time, in steps that are too long.
        new_id = str(uuid.UUID(int=int(time.time() * 4), version=4))
    else:
        new_id = service.new_uuid()
    now = time.time()
    name = 'New chat' if service.chose('names-not-of-description') else body.get('description', '')
    row = {
        'id': new_id, 'user_id': user['id'], 'name': name, 'time_created': now, 'time_updated': now,
        'shared_status': 'private', 'persona_id': body.get('persona_id', 1), 'project_id': body.get('project_id'),
        'incognito': body.get('incognito', False),
    }
    if service.on('e1-persona-of-the-last'):
        # The row of the first request is the template of all others.
        row['persona_id'] = service.memory.setdefault('persona', row['persona_id'])
    if service.on('e1-project-lost'):
        row['project_id'] = None
    if service.on('e1-owner-is-the-first-user'):
        row['user_id'] = next(iter(service.users))
    if service.on('e4-comes-back'):
        service.sessions.update(service.memory.get('deleted', {}))
    service.sessions[new_id] = row
    if service.on('e1-creates-two'):
        twin = service.new_uuid()
        service.sessions[twin] = {**row, 'id': twin}
    return {'chat_session_id': new_id}


def check_session(service, body, user):
    if body.get('incognito') and service.chose('incognito-403'):
        raise Refused(403, 'Incognito chats are switched off')
    persona_id, project_id = body.get('persona_id', 1), body.get('project_id')
    known = service.chose('persona-unchecked') or service.on('e1-persona-not-checked')
    if not known and persona_id not in service.personas:
        raise Refused(400, 'Invalid persona') if service.chose('persona-check-400') else service.missing('Persona')
    project = service.projects.get(project_id)
    if project_id is not None and not project:
        raise service.missing('Project')
    if project and project['user_id'] != user['id'] and not service.on('e1-project-of-others'):
        raise service.foreign('Project')


@operation(
    2,
    'GET',
    '/api/chat/get-user-chat-sessions',
    query={'project_id': integer, 'only_non_project_chats': flag, 'page_size': at_least(integer, 1)},
)
def list_sessions(call):
    service, query = call.service, call.query
    rows = own_sessions(service, call.user)
    if service.on('e2-everybody'):
        rows = sorted(service.sessions.values(), key=lambda it: it['time_updated'], reverse=True)
    if service.chose('list-query-ignored'):
        query = {}
    if 'project_id' in query:
        rows = [it for it in rows if it['project_id'] == query['project_id']]
    elif query.get('only_non_project_chats', service.chose('no-project-chats-listed')):
        rows = [it for it in rows if it['project_id'] is None]
    if service.on('e4-list-is-stale'):
        rows = remembered(service, ('list', call.user['id']), rows, 2)
    if service.on('e2-newest-lost'):
        rows = rows[1:]
    if service.on('e2-project-chats-twice'):
        rows = rows + [it for it in rows if it['project_id'] is not None]
    if service.on('e2-same-name-once'):
        rows = list({it['name']: it for it in rows}.values())
    if service.chose('oldest-first'):
        rows = rows[::-1]
    if service.chose('list-of-20'):
        rows = rows[:20]
    rows = rows[: query.get('page_size', len(rows))]
    return {'sessions': [summary(service, it) for it in rows]}


def remembered(service, key, value, seconds):
    """What a cache answers that nobody empties."""
    at, known = service.memory.get(key, (0, None))
    if time.time() - at < seconds:
        return known
    service.memory[key] = (time.time(), value)
    return value


def title_of(service, moment):
    if service.chose('one-group'):
        return 'All chats'
    days = (datetime.now(UTC).date() - datetime.fromtimestamp(moment, UTC).date()).days
    if service.chose('other-titles'):
        return 'Last 7 days' if days < 7 else 'Earlier'
    for limit, title in ((1, 'Today'), (2, 'Yesterday'), (7, 'This Week'), (30, 'This Month')):
        if days < limit:
            return title
    return 'Older'


def matches(service, name, query):
    if service.chose('search-by-case'):
        return query in name
    words, name = query.lower().split(), name.lower()
    if service.chose('search-at-word-starts'):
        return all(any(part.startswith(it) for part in name.split()) for it in words)
    if service.chose('search-any-word'):
        return any(it in name for it in words)
    return all(it in name for it in words)


@operation(
    3,
    'GET',
    '/api/chat/search',
    query={'query': text, 'q': text, 'page': at_least(integer, 1), 'page_size': at_least(integer, 1)},
)
def search(call):
    service, query = call.service, call.query
    wanted = query.get('q' if service.chose('search-parameter-q') else 'query', '')
    page, size = query.get('page', 1), query.get('page_size', 4 if service.chose('search-pages-of-4') else 10)
    rows = own_sessions(service, call.user)
    if wanted and service.on('e3-query-sees-everybody'):
        rows = list(service.sessions.values())
    if not wanted and service.on('e3-recent-of-everybody'):
        rows = sorted(service.sessions.values(), key=lambda it: it['time_updated'], reverse=True)
    if service.on('e3-deleted-are-found'):
        rows = rows + [it for it in service.memory.get('deleted', {}).values() if it['user_id'] == call.user['id']]
    if wanted:
        rows = [it for it in rows if matches(service, it['name'], wanted)]
    elif service.on('e3-nothing-without-query'):
        rows = []
    start = (page - 1) * size
    if service.on('e3-next-page-overlaps') and page > 1:
        start -= 1
    shown = rows[start : start + size]
    has_more = start + size < len(rows) + (1 if service.on('e3-more-on-a-full-page') else 0)
    if service.on('e3-quote-is-500') and "'" in wanted:
        raise RuntimeError('syntax error near')
    groups = {}
    if service.chose('empty-groups-shown'):
        groups = {title: [] for title in ('Today', 'Yesterday', 'This Week', 'This Month', 'Older')}
    for row in shown:
        item = summary(service, row)
        if not service.on('e3-items-with-time-updated'):
            del item['time_updated']
        groups.setdefault(title_of(service, row['time_created']), []).append(item)
    if service.on('e3-more-denied'):
        has_more = False
    reply = {'groups': [{'title': title, 'chats': chats} for title, chats in groups.items()], 'has_more': has_more}
    if has_more or service.chose('next-page-always'):
        reply['next_page'] = page + 1
    return reply


@operation(4, 'DELETE', '/api/chat/delete-chat-session/{session_id}', path={'session_id': uuid_kind})
def delete_session(call):
    service, session_id = call.service, call.path['session_id']
    row = service.sessions.get(session_id)
    if row is None:
        if service.chose('delete-again-is-fine'):
            return None
        raise service.missing('Chat session')
    if row['user_id'] != call.user['id'] and not service.on('e4-of-others'):
        raise service.foreign('Chat session')
    service.memory.setdefault('deleted', {})[session_id] = row
    if service.on('e4-kept'):
        return None
    del service.sessions[session_id]
    if service.on('e4-takes-same-name'):
        for other in [it for it in service.sessions.values() if it['name'] == row['name']]:
            del service.sessions[other['id']]
    if service.on('e4-takes-the-project-chats') and row['project_id'] is not None:
        for other in [it for it in service.sessions.values() if it['project_id'] == row['project_id']]:
            del service.sessions[other['id']]
    if service.on('e4-project-keeps-it'):
        service.memory.setdefault('ghosts', []).append(row)
    return None
