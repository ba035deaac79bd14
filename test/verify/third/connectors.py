"""E15 to E17: connectors, their indexing status and their files."""

import io
import json
import math
import posixpath
import re
import time
import zipfile

from app import operation
from chat import remembered
from credentials import status_of
from reading import ACCESS_TYPES, INDEX_STATUSES, Invalid, Reader, at_least, flag, free, integer, many, one_of, text
from store import Refused


@operation(15, 'GET', '/api/manage/connector/{connector_id}', path={'connector_id': integer})
def get_connector(call):
    service, connector_id = call.service, call.path['connector_id']
    row = service.connectors.get(connector_id)
    if not row and service.on('e15-the-first-for-unknown'):
        row = service.connectors[1]
    if not row:
        if service.chose('connector-missing-404'):
            raise service.missing('Connector')
        return status_of(service, False, 'Connector does not exist', connector_id)
    ids = [it['credential_id'] for it in service.pairs.values() if it['connector_id'] == row['id']]
    if service.on('e15-credentials-are-stale'):
        ids = remembered(service, ('ids', connector_id), ids, 2)
    if service.on('e15-one-credential-only'):
        ids = ids[:1]
    times = {name: service.time(row[name]) for name in ('time_created', 'time_updated', 'indexing_start')}
    shown = {**row, **times, 'credential_ids': ids[::-1] if service.chose('newest-credential-id-first') else ids}
    if service.chose('no-indexing-start'):
        del shown['indexing_start']
    return shown


def now_of(row, service):
    """The status of an attempt; a new association is indexed by the clock."""
    if row['new_at'] is None:
        return row
    age = time.time() - row['new_at']
    if age < 0.5 or service.chose('new-pairs-wait'):
        return {**row, 'last_status': 'not_started'}
    if age < 2:
        return {**row, 'last_status': 'in_progress'}
    done = {'last_status': 'success', 'last_finished_status': 'success', 'docs': 12, 'latest': 12}
    return {**row, **done, 'last_success': row['new_at'] + 2}


def indexing_item(service, row, source):
    shown = {
        'cc_pair_id': row['id'], 'name': row['name'], 'source': source, 'access_type': row['access_type'],
        'cc_pair_status': row['status'].lower() if service.chose('pair-status-in-lower-case') else row['status'],
        'in_progress': row['last_status'] == 'in_progress',
        'in_repeated_error_state': row['last_status'] == 'failed', 'is_editable': True, 'docs_indexed': row['docs'],
        'latest_index_attempt_docs_indexed': row['latest'],
    }
    for name in ('last_finished_status', 'last_status'):
        if row[name]:
            shown[name] = row[name]
    if row['last_success']:
        shown['last_success'] = service.time(row['last_success'])
    return shown


COMPARE = {'>': lambda left, right: left > right, '<': lambda left, right: left < right, '=': lambda left,
right: left == right}


def wanted(service, row, body):
    on = service.on
    access, statuses = body.get('access_type_filters'), body.get('last_status_filters')
    if access and row['access_type'] not in access and not on('e16-access-filter-ignored'):
        return False
    status = row['last_finished_status' if on('e16-filters-the-finished-status') else 'last_status']
    if statuses and status not in statuses and not on('e16-status-filter-ignored'):
        return False
    name = body.get('name_filter')
    if name and on('e16-filter-is-a-pattern'):
        return bool(re.search(name, row['name'], re.I))
    if name and not on('e16-name-filter-ignored'):
        if service.chose('name-filter-by-case'):
            if name not in row['name']:
                return False
        elif service.chose('name-filter-at-start'):
            if not row['name'].lower().startswith(name.lower()):
                return False
        elif name.lower() not in row['name'].lower():
            return False
    operator = body.get('docs_operator' if service.chose('operator-docs-operator') else 'docs_count_operator')
    value = body.get('docs_count_value')
    if operator is not None and value is not None:
        if on('e16-less-is-more') and operator in '<>':
            operator = '<>'[operator == '<']
        if on('e16-more-or-equal') and operator == '>':
            return row['docs'] >= value
        return COMPARE.get(operator, COMPARE['='])(row['docs'], value)
    return True


@operation(
    16,
    'POST',
    '/api/manage/admin/connector/indexing-status',
    body={
        'secondary_index': flag, 'access_type_filters': many(one_of(*ACCESS_TYPES)),
        'last_status_filters': many(one_of(*INDEX_STATUSES)), 'docs_count_value': integer,
        'docs_count_operator': one_of('>', '<', '='), 'docs_operator': one_of('>', '<', '='), 'name_filter': text,
        'source_to_page': free, 'get_all_connectors': flag,
    },
)
def indexing_status(call):
    service, body = call.service, call.body
    reader = Reader(service)
    pages = {
        name: at_least(integer, 1)(page, ['body', 'source_to_page', name], reader)
        for name, page in body.get('source_to_page', {}).items()
    }
    if reader.problems:
        raise Invalid(reader.problems)
    groups = {}
    for row in service.pairs.values():
        row = now_of(row, service)
        source = service.connectors[row['connector_id']]['source']
        everything, matching = groups.setdefault(source, ([], []))
        everything.append(row)
        if wanted(service, row, body):
            matching.append(row)
    filters = ('access_type_filters', 'last_status_filters', 'name_filter', 'docs_count_value')
    is_filtered = any(body.get(name) not in (None, [], '') for name in filters)
    result = []
    for source, (everything, matching) in sorted(groups.items(), reverse=service.chose('groups-backwards')):
        items = [indexing_item(service, it, source) for it in matching]
        if source == 'slack' and not is_filtered and not service.chose('federated-left-out'):
            more = {'entities': {}} if service.chose('federated-with-more') else {}
            items.append({'id': 1, 'name': 'Chat', 'source': 'federated_slack', **more})
        counted = everything if service.chose('summary-of-all') else matching
        group = group_of(service, source, counted, items, pages.get(source, 1), body)
        if group:
            result.append(group)
    if service.on('e16-item-in-the-wrong-group') and len(result) > 1 and result[0]['indexing_statuses']:
        result[-1]['indexing_statuses'].append(result[0]['indexing_statuses'].pop())
    return result


def group_of(service, source, counted, items, page, body):
    size = 5 if service.chose('pages-of-5') else 10
    if body.get('get_all_connectors'):
        size, page = max(len(items), 1), 1
    count = math.ceil(len(items) / size)
    if service.on('e16-last-page-lost') and len(items) > size:
        count = len(items) // size
    if page > count and service.chose('beyond-the-end-is-the-last'):
        page = max(count, 1)
    start = (page - 1) * size
    if service.on('e16-pages-overlap') and page > 1:
        start -= 1
    shown = items[start : start + size]
    if not shown and not service.chose('empty-pages-kept'):
        return None
    public = [it for it in counted if it['access_type'] == 'public']
    if service.on('e16-sync-is-public'):
        public = [it for it in counted if it['access_type'] != 'private']
    return {
        'source': source,
        'summary': {
            'total_connectors': len(counted),
            'active_connectors': len([it for it in counted if it['status'] in ('ACTIVE', 'SCHEDULED')]),
            'public_connectors': len(public),
            'total_docs_indexed': sum(it['docs'] for it in counted),
        },
        'current_page': 1 if service.on('e16-always-page-1') else page,
        'total_pages': count,
        'indexing_statuses': shown,
    }


def unpacked(part, service):
    """The files in a zip, with the metadata file at its root."""
    try:
        with zipfile.ZipFile(io.BytesIO(part.content)) as archive:
            names = [it.filename for it in archive.infolist() if not it.is_dir()]
            metadata = {}
            if '.onyx_metadata.json' in names:
                metadata = json.loads(archive.read('.onyx_metadata.json'))
    except (zipfile.BadZipFile, ValueError) as error:
        reader = Reader(service)
        reader.wrong(['body', 'files'], 'value_error', 'Value error, not a zip file', None)
        raise Invalid(reader.problems) from error
    if isinstance(metadata, list):
        metadata = {str(it.get('filename', at)): it for at, it in enumerate(metadata) if isinstance(it, dict)}
    return [it for it in names if it != '.onyx_metadata.json'], metadata if isinstance(metadata, dict) else {}


@operation(17, 'POST', '/api/manage/admin/connector/file/upload', form=True, required=('files',))
def upload(call):
    service, on = call.service, call.service.on
    parts = [it for it in call.parts if it.name == 'files' and it.filename is not None]
    if not parts and not on('e17-no-files'):
        reader = Reader(service)
        reader.wrong(['body', 'files'], 'missing', 'Field required', None)
        raise Invalid(reader.problems)
    if service.chose('uploads-of-1-mib') and sum(len(it.content) for it in parts) > 1024 * 1024:
        raise Refused(413, 'Uploads are up to 1 MiB')
    if on('e17-first-file-only'):
        parts = parts[:1]
    if on('e17-empty-files-dropped'):
        parts = [it for it in parts if it.content]
    if on('e17-same-name-once'):
        parts = list({it.filename: it for it in parts}.values())
    names, metadata = [], {}
    for part in parts:
        if part.filename.lower().endswith('.zip') and not service.chose('zips-stay-whole'):
            inside, found = unpacked(part, service)
            names += inside
            metadata |= found
        else:
            names.append(part.filename)
    if on('e17-names-in-lower-case'):
        names = [it.lower() for it in names]
    if on('e17-endings-lost'):
        names = [posixpath.splitext(it)[0] for it in names]
    if on('e17-cut-at-the-space'):
        names = [it.split(' ')[0] for it in names]
    if on('e17-names-as-in-a-path'):
        names = [it.replace(' ', '%20') for it in names]
    paths = [f'uploads/{service.new_uuid()}/{posixpath.basename(it)}' for it in names]
    if service.chose('paths-are-ids'):
        paths = [service.new_uuid() for _ in names]
    if service.chose('metadata-with-counts'):
        metadata = {**metadata, 'files': {'count': len(names)}}
    return {'file_paths': paths, 'file_names': names, 'zip_metadata': metadata}
