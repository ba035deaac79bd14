"""The types of request fields, and the 422 that a wrong value gets."""

import json
import math
import re
from datetime import datetime

UUID = re.compile(r'[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}', re.I)
INTEGER = re.compile(r'[+-]?[0-9]{1,300}')
MOMENT = re.compile(r'\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?')

OWN_SOURCES = ('ingestion_api', 'web', 'file', 'not_applicable', 'mock_connector', 'user_file', 'imap')
# The other 48 are omitted in the description. These are the ones that this service knows.
THIRD_PARTIES = tuple(
    'slack gmail google_drive github gitlab bitbucket confluence jira jira_service_management notion zendesk gong '
    'linear hubspot document360 google_sites zulip productboard bookstack outline guru loopio dropbox sharepoint '
    'teams salesforce discourse axero clickup mediawiki wikipedia asana s3 r2 google_cloud_storage oci_storage xenforo '
    'discord freshdesk fireflies egnyte airtable highspot coda canvas requesttracker slab testrail'.split()
)
SOURCES = OWN_SOURCES + THIRD_PARTIES
ACCESS_TYPES = ('public', 'private', 'sync')
INDEX_STATUSES = ('not_started', 'in_progress', 'success', 'canceled', 'failed', 'completed_with_errors')

NOTHING = object()


class Invalid(Exception):
    def __init__(self, problems):
        super().__init__('invalid')
        self.problems = problems


class Reader:
    """Collects what is wrong with a request."""

    def __init__(self, service, lax=()):
        self.service = service
        self.lax = lax
        self.problems = []

    def wrong(self, loc, kind, msg, value, ctx=None):
        self.problems.append({'type': kind, 'loc': list(loc), 'msg': msg, 'input': value, 'ctx': ctx or {}})
        return NOTHING


def integer(value, loc, reader, is_text=False):
    if is_text or (isinstance(value, str) and reader.service.chose('lax-types')):
        if INTEGER.fullmatch(value.strip()):
            return int(value)
        return reader.wrong(loc, 'int_parsing', 'Input should be a valid integer, unable to parse string as an integer',
            value)
    if isinstance(value, bool) or not isinstance(value, int):
        # JSON has one kind of number: 7.0 is the integer 7.
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return reader.wrong(loc, 'int_type', 'Input should be a valid integer', value)
    return value


def text(value, loc, reader, is_text=False):
    if not isinstance(value, str):
        return reader.wrong(loc, 'string_type', 'Input should be a valid string', value)
    if len(value) > 1000 and reader.service.chose('texts-of-1000'):
        msg = 'String should have at most 1000 characters'
        return reader.wrong(loc, 'string_too_long', msg, value, {'max_length': 1000})
    return value


def flag(value, loc, reader, is_text=False):
    if isinstance(value, bool):
        return value
    if is_text or reader.service.chose('lax-types'):
        word = str(value).lower()
        if word in ('true', '1', 'yes', 'on'):
            return True
        if word in ('false', '0', 'no', 'off'):
            return False
        return reader.wrong(loc, 'bool_parsing', 'Input should be a valid boolean, unable to interpret input', value)
    return reader.wrong(loc, 'bool_type', 'Input should be a valid boolean', value)


def uuid(value, loc, reader, is_text=False):
    if isinstance(value, str) and UUID.fullmatch(value):
        return value.lower()
    return reader.wrong(loc, 'uuid_parsing', 'Input should be a valid UUID', value, {'error': 'not a UUID'})


def moment(value, loc, reader, is_text=False):
    if isinstance(value, str) and MOMENT.fullmatch(value):
        try:
            datetime.fromisoformat(value.upper())
            return value.upper()
        except ValueError:
            pass
    return reader.wrong(loc, 'datetime_parsing', 'Input should be a valid datetime', value,
        {'error': 'not a date-time'})


def free(value, loc, reader, is_text=False):
    if not isinstance(value, dict):
        return reader.wrong(loc, 'dict_type', 'Input should be a valid dictionary', value)
    return value


def one_of(*values):
    quoted = ', '.join(f"'{it}'" for it in values[:-1]) + f" or '{values[-1]}'"

    def read(value, loc, reader, is_text=False):
        if isinstance(value, str) and value in values:
            return value
        return reader.wrong(loc, 'enum', f'Input should be {quoted}', value, {'expected': quoted})

    return read


def many(kind, least=0):
    def read(value, loc, reader, is_text=False):
        if not isinstance(value, list):
            return reader.wrong(loc, 'list_type', 'Input should be a valid list', value)
        if len(value) < least and not reader.service.on('e18-urls-may-be-empty'):
            msg = f'List should have at least {least} item after validation, not {len(value)}'
            return reader.wrong(loc, 'too_short', msg, value, {'min_length': least, 'actual_length': len(value)})
        return [kind(it, [*loc, index], reader) for index, it in enumerate(value)]

    return read


def record(fields, required=()):
    def read(value, loc, reader, is_text=False):
        if not isinstance(value, dict):
            return reader.wrong(loc, 'model_attributes_type', 'Input should be a valid dictionary', value)
        return read_fields(fields, required, value, loc, reader)

    return read


def at_least(kind, least):
    def read(value, loc, reader, is_text=False):
        result = kind(value, loc, reader, is_text)
        if result is not NOTHING and result < least:
            msg = f'Input should be greater than or equal to {least}'
            return reader.wrong(loc, 'greater_than_equal', msg, value, {'ge': least})
        return result

    return read


source = one_of(*SOURCES)


def read_fields(fields, required, values, loc, reader, is_text=False):
    result = {}
    null_is_absent = reader.service.chose('null-is-absent')
    for name, kind in fields.items():
        value = values.get(name)
        if name not in values or (value is None and null_is_absent and name not in reader.lax):
            if name in required:
                reader.wrong([*loc, name], 'missing', 'Field required', values)
            continue
        if name in reader.lax:
            result[name] = value
        else:
            result[name] = kind(value, [*loc, name], reader, is_text)
    if reader.service.chose('unknown-fields-422') and loc == ['body']:
        for name in values.keys() - fields.keys():
            reader.wrong([*loc, name], 'extra_forbidden', 'Extra inputs are not permitted', values[name])
    return result


def strange(name):
    raise ValueError(f'{name} is no JSON')


def finite(digits):
    number = float(digits)
    # 1e999 could not be written again.
    return number if math.isfinite(number) else strange(digits)


def check_depth(value):
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > 200:
            raise ValueError('too deep')
        level = [
            inner
            for it in level
            if isinstance(it, dict | list)
            for inner in (it.values() if isinstance(it, dict) else it)
        ]


def read_json(raw, reader):
    try:
        value = json.loads(raw.decode('utf-8'), parse_constant=strange, parse_float=finite)
        check_depth(value)
        return value
    except (ValueError, RecursionError) as error:
        reader.wrong(['body', getattr(error, 'pos', 0)], 'json_invalid', 'JSON decode error', {}, {'error': 'not JSON'})
        raise Invalid(reader.problems) from error
