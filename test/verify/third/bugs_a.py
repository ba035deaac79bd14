"""Bugs of chat and agents (E1 to E7), and of the rules that hold everywhere."""

from switches import at, bug, drop, rename, status

INVALID = '7.1 "An invalid request (bad path, query or body values) yields HTTP 422 with the ValidationError body"'
SHAPE = '2.16 "{detail: [{loc: (string or integer)[], msg: string, type: string}]}"'
CHAT_SHAPE = '2.16 "Chat-area endpoints also include input (any) and ctx (object) in each detail item"'
TOKEN = '4 "All endpoints require the bearer authorization header"'
ISO = '2 "date-time is an ISO 8601 timestamp string"'
CALLER = '1 "creates, lists, searches and deletes chat sessions for the calling user"'
UPDATES = '1 "reads, updates and deletes configurable assistants"; E6 body and response'
ADMINS = '5.2 "Paths containing /admin/ are administrator operations"'


def of_422(change):
    def out(reply, request):
        if reply.status == 422:
            change(reply, request)

    return {'out': out, 'always': True}


def becomes(number, body=None):
    """A 422 turns into another answer."""

    def change(reply, request):
        reply.status = number
        reply.body = {'detail': 'Bad request'} if body is None else body

    return of_422(change)


def seconds(text):
    return 1767225600 + len(text)


# Everywhere.
bug('token-without-scheme', 'auth', '5.1 "Scheme: HTTP bearer"', 'A bare token without the word Bearer is accepted.',
    probe='auth')
bug('basic-scheme', 'auth', '5.1 "Scheme: HTTP bearer"', 'The token is accepted under the scheme Basic.', probe='auth')
bug('no-token-then-200', 'auth', TOKEN, 'Without a header the answer is 200 with an error text in it.', probe='auth')
bug('one-caller-for-all', 'race', '5.1 "Every request carries the header"; 4 E29 "reading the caller\'s role" (1)',
    'Two requests at the same moment are answered as if one user had sent both.', probe='two_callers')
bug('length-in-characters', 'wire', '0 "Unless stated otherwise, request and response bodies are JSON"',
    'Content-Length counts characters, so a reply beyond ASCII is cut.', op=23)
bug('form-latin-1', 'text', '4 E17 "file_names"; "bodies are JSON" (UTF-8)',
    'File names beyond ASCII are read as Latin-1.', op=17)
for number, path in ((4, 'chat/delete-chat-session'), (10, 'manage/admin/credential'), (15, 'manage/connector'),
                     (18, 'web-search/open-urls'), (22, 'user/projects/{id}/details'), (25, 'user/projects/file'),
                     (29, 'get-user-role'), (30, 'token-rate-limits')):
    bug(f'open-e{number}', 'auth', TOKEN, f'E{number} ({path}) also works without a token.', op=number)
for number, what in ((10, 'list public credentials'), (16, 'read the indexing status'), (17, 'upload connector files'),
                     (27, 'invite users'), (28, 'delete users'), (30, 'delete token limits')):
    bug(f'basic-may-e{number}', 'roles', ADMINS, f'A basic user may {what} (E{number}).', op=number)
bug('e5-422-without-detail', 'validation', SHAPE, 'A 422 of E5 has {error} in place of {detail}.', op=5,
    **of_422(lambda reply, request: setattr(reply, 'body', {'error': reply.body['detail']})))
bug('e8-422-detail-is-text', 'validation', SHAPE, 'The detail of a 422 of E8 is a text.', op=8,
    **of_422(at('detail', lambda it: it[0]['msg'])))
bug('e13-422-loc-is-text', 'validation', SHAPE, 'loc is a text such as body.name in a 422 of E13.', op=13,
    **of_422(at('detail[].loc', lambda it: '.'.join(str(part) for part in it))))
bug('e18-422-msg-lost', 'validation', SHAPE, 'Items of a 422 of E18 have no msg.', op=18,
    **of_422(drop('detail[].msg')))
bug('e19-422-type-null', 'validation', SHAPE, 'type is null in a 422 of E19.', op=19,
    **of_422(at('detail[].type', lambda it: None)))
bug('e23-422-one-object', 'validation', SHAPE, 'The detail of a 422 of E23 is one object and no array.', op=23,
    **of_422(at('detail', lambda it: it[0])))
bug('e27-422-loc-of-objects', 'validation', SHAPE, 'The parts of loc are objects in a 422 of E27.', op=27,
    **of_422(at('detail[].loc[]', lambda it: {'at': it})))
bug('e20-422-is-bare', 'validation', SHAPE, 'A 422 of E20 is a bare array.', op=20,
    **of_422(at('', lambda it: it['detail'])))
bug('e16-422-is-html', 'validation', INVALID, 'A 422 of E16 is an HTML page.', op=16,
    **of_422(lambda reply, request: reply.__dict__.update(raw=b'<h1>Unprocessable</h1>', media='text/html')))

bug('caller-of-the-connection', 'users', '5.1 "Every request carries the header"',
    'The first token on a connection counts for all later requests on it.', probe='one_connection')
bug('replies-cut-at-64-kib', 'wire', '0 "response bodies are JSON"', 'Replies are cut at 64 KiB.', op=23)

# E1.
bug('e1-created-is-201', 'status', '4 E1 "Response 200: {chat_session_id: uuid}"',
    'A created session is answered with 201.', op=1, out=status(201))
bug('e1-id-with-prefix', 'type', '4 E1 "chat_session_id: uuid"', 'The id is cs- and a uuid.', op=1,
    out=at('chat_session_id', lambda it: f'cs-{it}'))
bug('e1-id-renamed', 'shape', '4 E1 "Response 200: {chat_session_id: uuid}"', 'The id is called session_id.', op=1,
    out=rename('chat_session_id', 'session_id'))
bug('e1-creates-two', 'state', '4 E1 "create-chat-session", one id in the response', 'Each request makes two sessions.',
    op=1)
bug('e1-owner-is-the-first-user', 'users', CALLER, 'Each session belongs to the first user, whoever created it.', op=1)
bug('e1-project-lost', 'lost', '4 E1 "project_id (integer)"; 2.12 "chat_sessions"',
    'The project of a new session is lost.', op=1)
bug('e1-project-of-others', 'users', '1 "per-user projects hold instructions, chat sessions"',
    'A session can be put into the project of another user, where it then shows.', op=1)
bug('e1-persona-of-the-last', 'stale', '4 E1 "persona_id (integer)"; 2.3 persona_id',
    'All sessions get the persona of the first one that was created.', op=1)
bug('e1-persona-not-checked', 'validation', INVALID, 'persona_id may be a text, and is kept as one.', op=1,
    lax=('persona_id',))
bug('e1-incognito-of-any-kind', 'validation', INVALID, 'incognito is not checked: a list passes.', op=1,
    lax=('incognito',))
bug('e1-incognito-id-of-any-kind', 'validation', INVALID, 'incognito_session_id need not be a uuid.', op=1,
    lax=('incognito_session_id',))
bug('e1-same-id-at-once', 'race', '4 E1 "create-chat-session"; 2.3 id',
    'Sessions created in the same moment share an id.', op=1, probe='creates_at_once')
bug('e1-422-without-input', 'validation', CHAT_SHAPE, 'A 422 of E1 has no input.', op=1,
    **of_422(drop('detail[].input')))
bug('e1-beyond-bmp-is-500', 'text', '4 E1 "description (string)"', 'A description beyond the BMP fails with 500.', op=1)

# E2.
bug('e2-everybody', 'users', CALLER, 'The list has the sessions of all users.', op=2)
bug('e2-time-is-a-number', 'type', '2.3 "time_created | string"', 'time_created is a number of seconds.', op=2,
    out=at('sessions[].time_created', seconds))
bug('e2-temperature-is-text', 'type', '2.3 "current_temperature_override | number"', 'The temperature is a text.', op=2,
    out=at('sessions[].current_temperature_override', str))
bug('e2-renamed', 'shape', '4 E2 "{sessions: ChatSessionSummary[]}"', 'The list is called chat_sessions.', op=2,
    out=rename('sessions', 'chat_sessions'))
bug('e2-persona-is-text', 'type', '2.3 "persona_id | integer"', 'persona_id is a text.', op=2,
    out=at('sessions[].persona_id', str))
bug('e2-newest-lost', 'paging', '4 E2 "Response 200: {sessions}"; ' + CALLER, 'The newest session is not in the list.',
    op=2)
bug('e2-status-is-null', 'null', '2.3 "shared_status | string"; 2 "T|null means the value may be null"',
    'shared_status is null in place of its value.', op=2, out=at('sessions[].shared_status', lambda it: None))
bug('e2-project-chats-twice', 'state', CALLER, 'Sessions in a project are listed twice.', op=2)
bug('e2-same-name-once', 'lost', CALLER, 'Of sessions with the same name only one is listed.', op=2)
bug('e2-ids-are-numbers', 'type', '2.3 "id | uuid"', 'The id of a session is a number.', op=2,
    out=at('sessions[].id', lambda it: int(it[:8], 16)))
bug('e2-old-time-null', 'null', '2.3 "time_updated | string"', 'time_updated is null for sessions older than a week.',
    op=2)

# E3.
bug('e3-nothing-without-query', 'filter', '4 E3 "With no query it returns recent sessions"',
    'Without a query nothing is returned.', op=3)
bug('e3-recent-of-everybody', 'users', '4 E3 "Searches the caller\'s chat sessions"',
    'Without a query the sessions of all users are returned.', op=3)
bug('e3-query-sees-everybody', 'users', '4 E3 "Searches the caller\'s chat sessions"',
    'With a query the sessions of all users are searched.', op=3)
bug('e3-has-more-is-text', 'type', '4 E3 "has_more: boolean"', 'has_more is the text true or false.', op=3,
    out=at('has_more', lambda it: str(it).lower()))
bug('e3-next-page-is-text', 'type', '4 E3 "next_page: integer"', 'next_page is a text.', op=3, out=at('next_page', str))
bug('e3-more-denied', 'paging', '4 E3 "has_more: boolean, next_page: integer"',
    'has_more is false though more sessions match.', op=3)
bug('e3-items-with-time-updated', 'shape', '2.3 "Chat search items contain ... and no time_updated"',
    'Items have time_updated.', op=3)
bug('e3-deleted-are-found', 'stale', '4 E4 "delete-chat-session"; ' + CALLER, 'Deleted sessions are still found.', op=3)
bug('e3-more-on-a-full-page', 'paging', '4 E3 "has_more: boolean, next_page: integer"',
    'has_more is true when the last page is full, and nothing follows.', op=3)
bug('e3-quote-is-500', 'text', '4 E3 "Searches the caller\'s chat sessions by a query"',
    'A quote in the query fails with 500.', op=3)
bug('e3-chats-by-id', 'shape', '4 E3 "chats: [chat search item]"', 'chats is an object with the ids as keys.', op=3,
    out=at('groups[].chats', lambda it: {row['id']: row for row in it}))
bug('e3-time-as-in-headers', 'type', ISO, 'time_created is written as in HTTP headers.', op=3,
    out=at('groups[].chats[].time_created', lambda it: 'Thu, 01 Jan 2026 08:00:00 GMT'))
bug('e3-title-is-null', 'null', '4 E3 "title: string"', 'The title of a group is null.', op=3,
    out=at('groups[].title', lambda it: None))
bug('e3-next-page-overlaps', 'paging', '4 E3 "next_page: integer"', 'Page 2 begins with the last item of page 1.', op=3)
bug('e3-422-ctx-is-text', 'validation', CHAT_SHAPE, 'ctx is a text in a 422 of E3.', op=3,
    **of_422(at('detail[].ctx', str)))

# E4.
bug('e4-kept', 'state', '4 E4 "delete-chat-session"', 'The session is not deleted.', op=4)
bug('e4-of-others', 'users', CALLER, 'Sessions of other users are deleted too.', op=4)
bug('e4-takes-same-name', 'state', '4 E4 "delete-chat-session/{session_id}"',
    'Sessions with the same name are deleted too.', op=4)
bug('e4-takes-the-project-chats', 'state', '4 E4 "delete-chat-session/{session_id}"',
    'All sessions of the same project are deleted.', op=4)
bug('e4-project-keeps-it', 'stale', '2.12 "chat_sessions"; 4 E4', 'The project still shows a deleted session.', op=4)
bug('e4-list-is-stale', 'stale', '4 E2, E4: the sessions of the calling user',
    'E2 shows a deleted session for two seconds.', op=4)
bug('e4-comes-back', 'state', '4 E4 "delete-chat-session"', 'A deleted session is back after the next one is created.',
    op=4)
bug('e4-bad-id-is-400', 'validation', INVALID, 'A session_id that is no uuid is answered with 400.', op=4,
    **becomes(400))
bug('e4-422-without-ctx', 'validation', CHAT_SHAPE, 'A 422 of E4 has no ctx.', op=4, **of_422(drop('detail[].ctx')))

# E5.
bug('e5-tools-are-ids', 'shape', '2.7 "tools | Tool[]"', 'tools are ids.', op=5, out=at('tools[]', lambda it: it['id']))
bug('e5-priority-is-text', 'type', '2.7 "display_priority | integer"', 'display_priority is a text.', op=5,
    out=at('display_priority', str))
bug('e5-owner-is-text', 'shape', '2.7 "owner | {id: uuid, email: string}"', 'owner is the email only.', op=5,
    out=at('owner', lambda it: it['email']))
bug('e5-labels-are-names', 'shape', '2.7 "labels | array of {id: integer, name: string}"', 'labels are names.', op=5,
    out=at('labels[]', lambda it: it['name']))
bug('e5-public-is-1', 'type', '2.7 "is_public, is_visible | boolean"', 'is_public is 1 or 0.', op=5, out=at('is_public',
    int))
bug('e5-starters-as-json', 'type', '2.7 "starter_messages | array"', 'starter_messages is JSON in a text.', op=5,
    out=at('starter_messages', lambda it: str(it).replace("'", '"')))
bug('e5-starter-parts-null', 'null', '2.7 "array of {name: string, message: string}"',
    'The name of a starter message is null.', op=5, out=at('starter_messages[].name', lambda it: None))
bug('e5-cached', 'stale', UPDATES, 'E5 shows the old persona for two seconds after E6.', op=5)
bug('e5-id-up-to-a-letter', 'validation', INVALID, 'The id 2abc is read as 2.', op=5, lax=('persona_id',))
bug('e5-set-users-are-objects', 'shape', '2.9 "users (uuid[])"', 'The users of a document set are objects.', op=5,
    out=at('document_sets[].users[]', lambda it: {'id': it}))
bug('e5-source-in-capitals', 'type', '2.1 (enumerated string); 2.9 "source: DocumentSource"',
    'The sources of a document set are in capitals.', op=5,
    out=at('document_sets[].cc_pair_summaries[].source', str.upper))
bug('e5-federated-without-prefix', 'type', '2.1 "is a value of the form federated_<third-party>"',
    'The source of a federated connector has no prefix.', op=5,
    out=at('document_sets[].federated_connector_summaries[].source', lambda it: it.replace('federated_', '')))
bug('e5-entities-are-a-list', 'type', '2.9 "entities: object"', 'The entities of a federated connector are an array.',
    op=5, out=at('document_sets[].federated_connector_summaries[].entities', list))
bug('e5-definition-as-json', 'type', '2.8 "definition (object)"', 'The definition of a tool is JSON in a text.', op=5,
    out=at('tools[].definition', lambda it: '{}'))
bug('e5-headers-are-an-object', 'type', '2.8 "custom_headers (array)"', 'custom_headers of a tool are an object.', op=5,
    out=at('tools[].custom_headers', lambda it: {str(at): value for at, value in enumerate(it)}))
bug('e5-access-of-no-kind', 'type', '2.2 "access_type | public, private, sync"; 2.9',
    'The access type of a pair is open.',
    op=5, out=at('document_sets[].cc_pair_summaries[].access_type', lambda it: 'open'))
bug('e5-in-an-array', 'shape', '4 E5 "Response 200: Persona record"', 'The persona is the only item of an array.', op=5,
    out=at('', lambda it: [it]))
bug('e5-search-start-lost', 'lost', '2.7 "search_start_date | date-time (present in the read response)"',
    'The read response never has search_start_date.', op=5, out=drop('search_start_date'))
bug('e5-group-is-text', 'type', '2.7 "groups | integer[]"', 'groups are texts.', op=5, out=at('groups[]', str))
bug('e5-replace-prompt-null', 'null', '2.7 "replace_base_system_prompt | boolean, default false"',
    'replace_base_system_prompt is null in place of false.', op=5,
    out=at('replace_base_system_prompt', lambda it: it or None))
bug('e5-server-id-is-text', 'type', '2.8 "mcp_server_id (integer)"', 'mcp_server_id of a tool is a text.', op=5,
    out=at('tools[].mcp_server_id', str))

# E6.
for name, says in (
    ('name-trimmed', 'Spaces around the name are cut.'),
    ('icon-in-lower-case', 'icon_name is stored in lower case.'),
    ('description-cut', 'The description is cut at 255 characters.'),
    ('beyond-bmp-lost', 'Characters beyond the BMP are question marks in system_prompt.'),
    ('escapes-html', 'The description is stored with & and < escaped as in HTML.'),
    ('line-ends-changed', 'CR LF turns into LF in prompts.'),
    ('name-composed', 'A name with combining accents is stored with composed letters.'),
    ('spaces-joined', 'Spaces in a row turn into one in task_prompt.'),
    ('word-null', 'The text null is stored as an empty text.'),
    ('false-ignored', 'false is taken for an absent field.'),
    ('zero-ignored', 'The number 0 is taken for an absent field.'),
    ('empty-text-ignored', 'An empty text is taken for an absent field.'),
    ('empty-list-ignored', 'An empty list is taken for an absent field.'),
    ('negative-is-zero', 'A negative display_priority is stored as 0.'),
    ('starters-backwards', 'Starter messages are stored in reverse order.'),
    ('one-starter', 'Only the first starter message is stored.'),
    ('prompts-swapped', 'system_prompt and task_prompt are swapped when both are sent.'),
    ('version-as-provider', 'The model version is stored as the model provider.'),
    ('offset-lost', 'The offset of search_start_date is lost, so it is another moment.'),
    ('day-only', 'The time of day of search_start_date is lost.'),
    ('search-start-lost', 'search_start_date is not stored.'),
    ('task-prompt-not-kept', 'The response has the new task_prompt, but the old one is read afterwards.'),
    ('answers-the-old', 'The response is the persona before the change.'),
    ('writes-the-neighbour-too', 'A new description is also written to the persona with the next id.'),
):
    bug(f'e6-{name}', 'text' if 'cut' in says or 'stored with' in says else 'state', UPDATES, says, op=6)
bug('e6-lost-update', 'race', UPDATES, 'Of two changes of different fields at the same moment, one is lost.', op=6,
    race=True, probe='patches_at_once')
bug('e6-half-written', 'partial', INVALID, 'A request refused with 422 has changed the fields that were right.', op=6)
bug('e6-chunks-of-any-kind', 'validation', INVALID, 'num_chunks may be a text.', op=6, lax=('num_chunks',))
bug('e6-users-of-any-kind', 'validation', INVALID, 'users need not be uuids.', op=6, lax=('users',))
bug('e6-starters-of-any-kind', 'validation', INVALID, 'starter_messages is not checked.', op=6,
    lax=('starter_messages',))
bug('e6-date-of-any-kind', 'validation', INVALID, 'search_start_date may be any text.', op=6,
    lax=('search_start_date',))
bug('e6-answers-200-without-body', 'shape', '4 E6 "Response 200: Persona record"', 'The response has no body.', op=6,
    out=lambda reply, request: setattr(reply, 'raw', b''))
bug('e6-answers-id-only', 'shape', '4 E6 "Response 200: Persona record"', 'The response is the bare id.', op=6,
    out=at('', lambda it: it['id']))

# E7.
bug('e7-kept', 'state', '4 E7; 1 "reads, updates and deletes"', 'The persona is not deleted.', op=7)
bug('e7-still-read-for-a-while', 'stale', '4 E7; 1 "reads, updates and deletes"',
    'A deleted persona is read for two more seconds.', op=7)
bug('e7-takes-the-next', 'state', '4 E7 "/api/persona/{persona_id}"', 'The persona with the next id is deleted too.',
    op=7)
bug('e7-takes-its-tools', 'state', '4 E7 "/api/persona/{persona_id}"', 'Its tools vanish from all other personas.',
    op=7)
bug('e7-bad-id-is-400', 'validation', INVALID, 'An id that is no integer is answered with 400.', op=7, **becomes(400))
