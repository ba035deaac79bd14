"""The shapes of section 2 and 4, to look at every reply of the self-check."""

import re
from datetime import datetime

from reading import ACCESS_TYPES, INDEX_STATUSES, SOURCES, UUID

DATE_TIME = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?')


def is_time(value):
    if not isinstance(value, str) or not DATE_TIME.fullmatch(value):
        return False
    datetime.fromisoformat(value)
    return True


WORDS = {
    'int': lambda it: isinstance(it, int) and not isinstance(it, bool),
    'num': lambda it: isinstance(it, int | float) and not isinstance(it, bool),
    'str': lambda it: isinstance(it, str),
    'bool': lambda it: isinstance(it, bool),
    'uuid': lambda it: isinstance(it, str) and bool(UUID.fullmatch(it)),
    'time': is_time,
    'obj': lambda it: isinstance(it, dict),
    'list': lambda it: isinstance(it, list),
    'source': lambda it: it in SOURCES,
    'federated': lambda it: isinstance(it, str) and it.startswith('federated_'),
    'access': lambda it: it in ACCESS_TYPES,
    'index': lambda it: it in INDEX_STATUSES,
    'input': lambda it: it in ('load_state', 'poll', 'event', 'slim_retrieval'),
    'file': lambda it: it in ('PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED', 'DELETING'),
    'chat': lambda it: it in ('image', 'document', 'plain_text', 'csv'),
    'any': lambda it: True,
}


def wrong(shape, value, at='$'):
    """What is wrong with a value. A key with ! is required; a word with ? may be null."""
    if isinstance(shape, str):
        if shape.endswith('?') and value is None:
            return []
        return [] if WORDS[shape.rstrip('?')](value) else [f'{at}: {value!r} is no {shape}']
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f'{at}: no array']
        return [it for index, item in enumerate(value) for it in wrong(shape[0], item, f'{at}[{index}]')]
    if isinstance(shape, tuple):
        found = [wrong(it, value, at) for it in shape]
        return [] if [] in found else found[0]
    if not isinstance(value, dict):
        return [f'{at}: no object']
    found = []
    for key, inner in shape.items():
        name = key.rstrip('!')
        if name in value:
            found += wrong(inner, value[name], f'{at}.{name}')
        elif key.endswith('!'):
            found.append(f'{at}.{name}: missing')
    return found


CHAT_ITEM = {
    'id!': 'uuid', 'name!': 'str', 'time_created!': 'str', 'shared_status!': 'str', 'persona_id': 'int',
    'current_alternate_model': 'str', 'current_temperature_override': 'num',
}
SESSION = {**CHAT_ITEM, 'time_updated!': 'str'}
CREDENTIAL = {
    'credential_json!': 'obj', 'admin_public!': 'bool', 'source!': 'source', 'name': 'str?', 'curator_public': 'bool',
    'groups': ['int'], 'id!': 'int', 'user_id!': 'uuid?', 'user_email': 'str?', 'time_created!': 'time',
    'time_updated!': 'time',
}
STATUS = {'success!': 'bool', 'message': 'str?', 'data': 'int?'}
CONNECTOR = {
    'name!': 'str', 'source!': 'source', 'input_type!': 'input', 'connector_specific_config!': 'obj', 'id!': 'int',
    'credential_ids!': ['int'], 'time_created!': 'time', 'time_updated!': 'time', 'refresh_freq': 'int',
    'prune_freq': 'int', 'indexing_start': 'time',
}
PERSON = {'id!': 'uuid', 'email!': 'str'}
TOOL = {
    'id!': 'int', 'name!': 'str', 'description': 'str', 'display_name': 'str', 'in_code_tool_id': 'str',
    'definition': 'obj',
    'custom_headers': 'list', 'passthrough_auth': 'bool', 'mcp_server_id': 'int', 'user_id': 'str',
    'oauth_config_id': 'int', 'oauth_config_name': 'str', 'enabled': 'bool', 'chat_selectable': 'bool',
    'agent_creation_selectable': 'bool', 'default_enabled': 'bool',
}
PAIR = {'id!': 'int', 'name!': 'str', 'source!': 'source', 'access_type!': 'access'}
FEDERATED = {'id!': 'int', 'name!': 'str', 'source!': 'federated', 'entities!': 'obj'}
DOCUMENT_SET = {
    'id!': 'int', 'name!': 'str', 'description': 'str', 'cc_pair_summaries!': [PAIR], 'is_up_to_date': 'bool',
    'is_public': 'bool', 'users': ['uuid'], 'groups': ['int'], 'federated_connector_summaries': [FEDERATED],
}
PERSONA = {
    'id!': 'int', 'name!': 'str', 'description': 'str', 'is_public!': 'bool', 'is_visible': 'bool',
    'uploaded_image_id': 'str', 'icon_name': 'str', 'user_file_ids': ['str'], 'display_priority': 'int',
    'is_default_persona': 'bool', 'builtin_persona': 'bool', 'starter_messages': [{'name!': 'str', 'message!': 'str'}],
    'tools': [TOOL], 'labels': [{'id!': 'int', 'name!': 'str'}], 'owner': PERSON, 'users': [PERSON], 'groups': ['int'],
    'document_sets': [DOCUMENT_SET], 'llm_model_provider_override': 'str', 'llm_model_version_override': 'str',
    'num_chunks': 'int', 'llm_relevance_filter': 'bool', 'llm_filter_extraction': 'bool', 'system_prompt': 'str',
    'task_prompt': 'str', 'replace_base_system_prompt': 'bool', 'datetime_aware': 'bool', 'search_start_date': 'time',
}
ITEM = {
    'cc_pair_id!': 'int', 'name!': 'str', 'source!': 'source', 'access_type!': 'access', 'cc_pair_status!': 'str',
    'in_progress!': 'bool', 'in_repeated_error_state!': 'bool', 'last_finished_status': 'index', 'last_status': 'index',
    'last_success': 'time', 'is_editable!': 'bool', 'docs_indexed!': 'int', 'latest_index_attempt_docs_indexed': 'int',
}
GROUP = {
    'source!': 'source',
    'summary!': {
        'total_connectors!': 'int', 'active_connectors!': 'int', 'public_connectors!': 'int',
        'total_docs_indexed!': 'int',
    },
    'current_page!': 'int', 'total_pages!': 'int',
    'indexing_statuses!': [(ITEM, {'id!': 'int', 'name!': 'str', 'source!': 'federated'})],
}
FILE = {
    'id!': 'uuid', 'name!': 'str', 'user_id': 'uuid', 'file_id!': 'str', 'created_at!': 'time', 'status!': 'file',
    'last_accessed_at': 'time', 'file_type': 'str', 'chat_file_type!': 'chat', 'token_count': 'int',
    'chunk_count': 'int',
    'temp_id': 'str', 'project_id': 'int',
}
PROJECT = {
    'id!': 'int', 'name!': 'str', 'description': 'str', 'created_at!': 'time', 'user_id!': 'uuid',
    'chat_sessions!': [SESSION], 'instructions': 'str',
}
RESULT = {
    'document_citation_number!': 'int', 'content!': 'str', 'unique_identifier_to_strip_away!': 'str', 'type!': 'str',
}
METHOD = {'name!': 'str', 'summary!': 'str', 'path!': 'str', 'method!': 'str', 'spec!': 'obj'}

REPLIES = {
    1: {'chat_session_id!': 'uuid'},
    2: {'sessions!': [SESSION]},
    3: {'groups!': [{'title!': 'str', 'chats!': [CHAT_ITEM]}], 'has_more!': 'bool', 'next_page': 'int'},
    5: PERSONA,
    6: PERSONA,
    8: {'id!': 'int', 'credential!': CREDENTIAL},
    9: (CREDENTIAL, STATUS),
    10: [CREDENTIAL],
    11: [CREDENTIAL],
    12: {
        'credential_json!': 'obj', 'admin_public!': 'bool', 'source!': 'source', 'name': 'str',
        'curator_public': 'bool',
        'groups': ['int'],
    },
    13: STATUS,
    14: STATUS,
    15: (CONNECTOR, STATUS),
    16: [GROUP],
    17: {'file_paths!': ['str'], 'file_names!': ['str'], 'zip_metadata!': 'obj'},
    18: {'results!': [RESULT], 'provider_type!': 'str'},
    19: {'methods!': [METHOD]},
    21: [PROJECT],
    22: {'project!': PROJECT, 'files!': [FILE], 'persona_id_to_is_default!': 'obj'},
    23: {'instructions!': 'str'},
    24: FILE,
    25: FILE,
    26: {'has_associations!': 'bool', 'project_names!': ['str'], 'assistant_names!': ['str']},
    27: 'int',
    29: {'role!': 'str'},
}
PROBLEM = {'loc!': [('str', 'int')], 'msg!': 'str', 'type!': 'str'}
PROBLEMS = {'detail!': [PROBLEM]}
CHAT_PROBLEMS = {'detail!': [{**PROBLEM, 'input!': 'any', 'ctx!': 'obj'}]}


def wrong_reply(number, status, body):
    if status == 422:
        return wrong(CHAT_PROBLEMS if number <= 4 else PROBLEMS, body)
    if status != 200 or number not in REPLIES:
        return []
    found = wrong(REPLIES[number], body)
    if number == 3:
        items = [chat for group in body['groups'] for chat in group['chats']]
        found += ['time_updated in a search item' for it in items if 'time_updated' in it]
    return found
