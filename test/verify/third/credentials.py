"""E8 to E14: credentials, and their association with connectors."""

import base64
import json
import time
import unicodedata

from app import operation
from chat import remembered
from reading import Invalid, Reader, flag, free, integer, many, source, text
from store import Refused


def masked(service, value):
    """Secrets are shown in part, and nothing else is changed."""
    if isinstance(value, dict):
        return {key: masked(service, it) for key, it in value.items()}
    if isinstance(value, list):
        return [masked(service, it) for it in value]
    if not isinstance(value, str) or service.chose('secrets-shown'):
        return value
    if service.chose('secrets-as-stars'):
        return '********'
    return f'{value[:4]}...{value[-4:]}' if len(value) >= 14 else '•' * 12


def snapshot(service, row):
    owner = service.users.get(row['user_id'])
    shown = {
        'id': row['id'], 'credential_json': masked(service, row['credential_json']),
        'admin_public': row['admin_public'],
        'source': row['source'], 'curator_public': row['curator_public'], 'groups': row['groups'],
        'user_id': row['user_id'], 'time_created': service.time(row['time_created']),
        'time_updated': service.time(row['time_updated']),
    }
    if row['name'] is not None or service.chose('names-may-be-null'):
        shown['name'] = row['name']
    if owner and not service.chose('emails-left-out'):
        shown['user_email'] = owner['email']
    if service.chose('defaults-left-out'):
        shown = {key: it for key, it in shown.items() if key not in ('curator_public', 'groups') or it}
    if service.on('e8-user-id-lost'):
        del shown['user_id']
    if service.on('e9-time-updated-lost'):
        del shown['time_updated']
    return shown


def status_of(service, success, message, data=None):
    shown = {'success': success, 'message': message}
    if service.chose('messages-null'):
        shown['message'] = None
    if service.chose('messages-left-out'):
        del shown['message']
    if data is not None and not service.chose('status-without-data'):
        shown['data'] = data
    elif service.chose('data-null'):
        shown['data'] = None
    return shown


def readable(row, user):
    if row['user_id'] == user['id'] or row['admin_public'] or user['role'] == 'admin':
        return True
    return user['role'] == 'curator' and row['curator_public']


def changeable(row, user):
    return row['user_id'] == user['id'] or (user['role'] == 'admin' and row['admin_public'])


@operation(
    8,
    'POST',
    '/api/manage/credential',
    body={
        'credential_json': free, 'admin_public': flag, 'source': source, 'name': text, 'curator_public': flag,
        'groups': many(integer),
    },
    required=('credential_json', 'admin_public', 'source'),
)
def create_credential(call):
    service, body = call.service, call.body
    new_id = service.last_id + 1 if service.on('e8-same-id-at-once') else service.next_id()
    if service.on('e8-same-id-at-once'):
        service.gap('e8-same-id-at-once')
        service.last_id = new_id
    same = [it for it in service.credentials.values() if it['name'] and it['name'] == body.get('name')]
    if same and service.on('e8-same-name-overwritten'):
        new_id = same[0]['id']
    now = time.time()
    ahead = 3600 if service.on('e8-an-hour-ahead') else 0
    row = {
        'id': new_id, 'credential_json': stored(service, body.get('credential_json', {})), 'user_id': call.user['id'],
        'admin_public': body.get('admin_public', False), 'source': body.get('source', 'not_applicable'),
        'name': body.get('name'), 'curator_public': body.get('curator_public', False), 'groups': body.get('groups', []),
        'time_created': now + ahead, 'time_updated': now + ahead,
    }
    if service.on('e8-all-public'):
        row['admin_public'] = True
    if service.on('e8-curator-public-by-default'):
        row['curator_public'] = body.get('curator_public', True)
    if service.on('e8-groups-lost'):
        row['groups'] = []
    if service.on('e8-name-composed') and row['name']:
        row['name'] = unicodedata.normalize('NFC', row['name'])
    if service.on('e8-name-trimmed') and row['name']:
        row['name'] = row['name'].strip()
    service.credentials[new_id] = row
    return {'id': new_id, 'credential': snapshot(service, row)}


def stored(service, value):
    if service.on('e8-keys-in-lower-case') and isinstance(value, dict):
        return {key.lower(): it for key, it in value.items()}
    if service.on('e8-inner-objects-as-text') and isinstance(value, dict):
        return {key: json.dumps(it) if isinstance(it, dict) else it for key, it in value.items()}
    if service.on('e8-decimals-cut') and isinstance(value, dict):
        return {key: int(it) if isinstance(it, float) else it for key, it in value.items()}
    if service.on('e8-nulls-dropped') and isinstance(value, dict):
        return {key: it for key, it in value.items() if it is not None}
    return value


@operation(9, 'GET', '/api/manage/credential/{credential_id}', path={'credential_id': integer})
def get_credential(call):
    service, credential_id = call.service, call.path['credential_id']
    row = service.credentials.get(credential_id)
    if service.on('e9-the-newest') and row:
        row = list(service.credentials.values())[-1]
    if not row or not readable(row, call.user):
        if service.chose('credential-missing-401'):
            raise Refused(401, 'Credential does not exist or is not yours')
        if service.chose('credential-missing-404'):
            raise service.missing('Credential')
        data = credential_id if isinstance(credential_id, int) else None
        return status_of(service, False, 'Credential does not exist', data)
    return snapshot(service, row)


@operation(10, 'GET', '/api/manage/admin/credential')
def list_public_credentials(call):
    service, rows = call.service, list(call.service.credentials.values())
    if service.on('e10-private-ones-too'):
        return [snapshot(service, it) for it in rows]
    rows = [it for it in rows if it['admin_public']]
    if service.on('e10-only-of-the-caller'):
        rows = [it for it in rows if it['user_id'] == call.user['id']]
    if service.on('e10-last-one-lost'):
        rows = rows[:-1]
    if service.on('e10-cached'):
        rows = remembered(service, 'public', rows, 2)
    if service.chose('newest-credential-first'):
        rows = rows[::-1]
    return [snapshot(service, it) for it in rows]


@operation(
    11,
    'GET',
    '/api/manage/admin/similar-credentials/{source_type}',
    path={'source_type': source},
    query={'get_editable': flag, 'editable': flag},
)
def list_similar_credentials(call):
    service, wanted, query = call.service, call.path['source_type'], call.query
    if service.on('e11-source-in-any-case'):
        wanted = wanted.lower()
    rows = [it for it in service.credentials.values() if readable(it, call.user)]
    if service.on('e11-part-of-the-source'):
        rows = [it for it in rows if wanted in it['source']]
    elif not service.on('e11-all-sources'):
        rows = [it for it in rows if it['source'] == wanted]
    if query.get('editable' if service.chose('parameter-editable') else 'get_editable'):
        turned = service.on('e11-editable-turned-round')
        rows = [it for it in rows if changeable(it, call.user) != turned]
    if not rows and service.on('e11-null-for-none'):
        return None
    return [snapshot(service, it) for it in rows]


@operation(
    12,
    'PUT',
    '/api/manage/admin/credential/private-key/{credential_id}',
    path={'credential_id': integer},
    form=True,
    required=('credential_json', 'uploaded_file', 'field_key', 'type_definition_key'),
)
def put_private_key(call):
    service, reader = call.service, Reader(call.service)
    parts = call.parts
    if service.on('e12-after-the-file-lost'):
        index = next((at for at, it in enumerate(parts) if it.filename is not None), len(parts))
        parts = parts[: index + 1]
    fields = {it.name: it for it in parts}
    texts = {name: it.content.decode('utf-8', 'replace') for name, it in fields.items() if it.filename is None}
    if service.on('e12-name-in-latin-1') and 'name' in fields:
        texts['name'] = fields['name'].content.decode('latin-1')
    values = {}
    try:
        values = json.loads(texts.get('credential_json', '{}'))
    except ValueError:
        pass
    if not isinstance(values,
    dict) or ('credential_json' in texts and not values and texts['credential_json'].strip() != '{}'):
        reader.wrong(['body', 'credential_json'], 'value_error', 'Value error, not a JSON object', None)
    file = fields.get('uploaded_file')
    if file and file.filename is None:
        reader.wrong(['body', 'uploaded_file'], 'value_error', 'Value error, expected a file', None)
    if file and service.chose('only-pfx') and not (file.filename or '').endswith('.pfx'):
        reader.wrong(['body', 'uploaded_file'], 'value_error', 'Value error, not a .pfx file', None)
    if reader.problems:
        raise Invalid(reader.problems)
    row = service.credentials.get(call.path['credential_id'])
    if not row or not readable(row, call.user):
        raise service.missing('Credential')
    if file:
        values[texts.get('field_key', 'private_key')] = base64.b64encode(file.content).decode()
    if service.on('e12-makes-another'):
        row = dict(row)
    row['credential_json'] = values
    row['time_updated'] = time.time()
    if 'name' in texts and not service.on('e12-name-lost'):
        row['name'] = texts['name']
        if service.on('e12-name-with-line-end'):
            row['name'] += '\r\n'
    if service.on('e12-makes-public'):
        row['admin_public'] = True
    shown = {**row, **snapshot(service, row)}
    names = ('credential_json', 'admin_public', 'source', 'name', 'curator_public', 'groups')
    # Unlike in a snapshot, name is a string here.
    return {name: shown[name] for name in names if shown[name] is not None}


def pair_of(service, connector_id, credential_id):
    rows = list(service.pairs.values())
    return next((it for it in rows if (it['connector_id'], it['credential_id']) == (connector_id, credential_id)), None)


PAIR_PATH = {'connector_id': integer, 'credential_id': integer}
PAIR = '/api/manage/connector/{connector_id}/credential/{credential_id}'
NEEDLESS = ('web', 'file', 'user_file', 'ingestion_api')


@operation(13, 'PUT', PAIR, path=PAIR_PATH, body={'name': text, 'auto_sync_options': free, 'groups': many(integer)})
def associate(call):
    service, path = call.service, call.path
    connector_id, credential_id = path['connector_id'], path['credential_id']
    connector = service.connectors.get(connector_id)
    credential = service.credentials.get(credential_id)
    if not connector:
        raise service.missing('Connector')
    if not credential or not readable(credential, call.user):
        raise service.missing('Credential')
    if connector['source'] in NEEDLESS and service.chose('needless-credential-refused'):
        return status_of(service, False, 'This connector needs no credential', connector_id)
    known = pair_of(service, connector_id, credential_id)
    if known:
        return status_of(service, service.chose('repeated-is-success'), 'Already associated', known['id'])
    if service.on('e13-kept-to-itself'):
        return status_of(service, True, 'Associated', service.next_id())
    if service.on('e13-neighbour-connector') and connector_id + 1 in service.connectors:
        connector_id += 1
    if service.on('e13-replaces-the-others'):
        service.pairs = {key: it for key, it in service.pairs.items() if it['connector_id'] != connector_id}
    before = dict(service.pairs)
    service.gap('e13-lost-update')
    pair_id = service.next_id()
    row = {
        'id': pair_id, 'connector_id': connector_id, 'credential_id': credential_id,
        'name': call.body.get('name', connector['name']), 'access_type': 'public', 'status': 'SCHEDULED',
        'last_status': None, 'last_finished_status': None, 'docs': 0, 'latest': 0, 'last_success': None,
        'new_at': time.time(),
    }
    if service.on('e13-lost-update'):
        service.pairs = {**before, pair_id: row}
    else:
        service.pairs[pair_id] = row
    data = connector_id if service.chose('data-is-the-connector') else pair_id
    return status_of(service, True, 'Associated', data)


@operation(14, 'DELETE', PAIR, path=PAIR_PATH)
def dissociate(call):
    service, on, path = call.service, call.service.on, call.path
    known = pair_of(service, path['connector_id'], path['credential_id'])
    if not known:
        if service.chose('absent-pair-404'):
            raise service.missing('Association')
        return status_of(service, service.chose('absent-pair-success'), 'Not associated', path['credential_id'])
    if on('e14-kept'):
        return status_of(service, True, 'Dissociated', known['id'])
    gone = [known]
    if on('e14-takes-all-of-the-connector'):
        gone = [it for it in service.pairs.values() if it['connector_id'] == known['connector_id']]
    if on('e14-takes-all-of-the-credential'):
        gone = [it for it in service.pairs.values() if it['credential_id'] == known['credential_id']]
    if on('e14-ids-that-begin-alike'):
        # As LIKE '1%' does.
        start = str(known['credential_id'])
        rows = [it for it in service.pairs.values() if it['connector_id'] == known['connector_id']]
        gone = [it for it in rows if str(it['credential_id']).startswith(start)]
    for it in gone:
        service.pairs.pop(it['id'], None)
    if on('e14-takes-the-credential'):
        del service.credentials[known['credential_id']]
    if on('e14-takes-the-connector'):
        del service.connectors[known['connector_id']]
    return status_of(service, True, 'Dissociated', known['id'])
