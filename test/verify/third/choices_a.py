"""Choices of errors, requests, chat and agents."""

from switches import choice, fill, header

ERRORS = '7.3 "Status codes other than 200 and 422, and error body shapes other than validation errors: not shown"'
REQUIRED = '4 "Required-ness of request fields: not shown except where stated"'
LISTS = '4 E2 "Query parameters: names: not shown"'
SEARCH = '4 E3 "Query parameter names: not shown"'
DELETED = '4 E4 E7 E20 E28 E30 "Success response body: not shown"'
ROLES = '5.4 "Which roles may call which endpoint: not shown"'
BOUNDS = '8.2 "Rate limits, size limits, pagination bounds ...: not shown"'
SILENT = 'the description says nothing of it'

# Who may, and what an error looks like.
choice('unauthenticated-403', 'auth', 'auth.unauthenticated', 'observed', ERRORS, 'Without a token the answer is 403.',
    probe='auth')
choice('no-challenge', 'auth', None, None, ERRORS, 'A 401 has no WWW-Authenticate.', probe='auth')
choice('scheme-in-one-spelling', 'auth', None, None, '5.1 "Authorization: Bearer <ACCESS_TOKEN>"',
    'The scheme must be written Bearer.', probe='auth')
choice('json-before-token', 'auth', 'auth.order', 'documented', ERRORS + ' (the order of checks is open)',
    'Malformed JSON is refused before the token is looked at.', probe='auth')
choice('role-after-validation', 'auth', 'auth.order', None, ERRORS + ' (the order of checks is open)',
    'A basic user gets the 422 of an administrator operation before its 403.', op=11)
choice('admins-only', 'auth', 'auth.roles', 'admins', ROLES, 'Curators may not call paths with /admin/.', op=10)
choice('missing-400', 'errors', 'errors.missing', 'observed', ERRORS, 'What is missing gets 400 with a message.',
    probe='missing')
choice('missing-410', 'errors', 'errors.missing', None, ERRORS, 'What is missing gets 410.', probe='missing')
choice('foreign-403', 'errors', 'errors.missing', '403 for foreign rows', ERRORS, 'Rows of other users get 403.', op=22)
choice('forbidden-is-404', 'errors', None, None, ERRORS, 'What is forbidden gets 404.', op=10)
choice('errors-under-error', 'errors', None, None, ERRORS, 'Errors are {error: text}.', probe='missing')
choice('errors-nested', 'errors', None, None, ERRORS, 'Errors are {error: {code, message}}.', probe='missing')
choice('errors-with-code', 'errors', None, None, ERRORS, 'Errors have error_code beside detail.', probe='missing')
choice('errors-problem', 'errors', None, None, ERRORS, 'Errors are problem details (RFC 9457).', probe='missing')
choice('errors-empty', 'errors', None, None, ERRORS, 'Errors have no body.', probe='missing')
choice('errors-plain-text', 'errors', None, None, ERRORS, 'Errors are plain text.', probe='missing')
choice('errors-html', 'errors', None, None, ERRORS, 'Errors are HTML pages.', probe='missing')
choice('rate-of-60-a-second', 'limits', None, None, BOUNDS,
    'More than 60 requests in a second get 429 with Retry-After.', probe='many')

# How requests are read.
choice('input-everywhere', 'validation', 'errors.input-and-ctx', None,
    '2.16 "Chat-area endpoints also include input and ctx" (of others nothing is said)',
    'Each item of a 422 has input and ctx.', op=5)
choice('first-problem-only', 'validation', None, None, '2.16 (how many items is open)',
    'A 422 names the first problem only.', op=8)
choice('own-words', 'validation', 'errors.validation-dialect', None,
    '2.16 "msg: string, type: string" (their words are open)', 'msg and type of a 422 have other words.', op=5)
choice('lax-types', 'validation', 'requests.coercion', 'lax', '7.1 (whether "7" is an integer is open)',
    'Texts that look like integers or booleans pass for them.', op=6)
choice('unknown-fields-422', 'validation', 'requests.unknown-fields', '422', SILENT,
    'Unknown fields of a body get 422.', op=8)
choice('null-is-absent', 'validation', 'requests.null', 'observed', SILENT + ' (null in a request)',
    'null in a request is an absent field.', op=6)
choice('nothing-required', 'validation', 'requests.required', None, REQUIRED, 'Only urls of E18 are required.', op=8)
choice('persona-required', 'validation', 'requests.required', None, REQUIRED, 'E1 requires persona_id.', op=1)
choice('patch-requires-name', 'validation', 'requests.required', None, REQUIRED, 'E6 requires name.', op=6)
choice('form-requires-all', 'validation', 'requests.required', 'observed', REQUIRED, 'E12 requires all five fields.',
    op=12)
choice('no-body-is-empty', 'validation', None, None, REQUIRED, 'No body counts as {}.', op=1)
choice('json-only-as-json', 'validation', None, None, '0 "bodies are JSON (Content-Type: application/json)"; ' + ERRORS,
    'A JSON body of another media type gets 415.', op=23)
choice('texts-of-1000', 'validation', None, None, BOUNDS, 'Texts have up to 1000 characters; longer ones get 422.',
    op=23)

# Values.
choice('times-of-berlin', 'values', None, None, '2 "date-time is an ISO 8601 timestamp string"',
    'Times have the offset +01:00.', op=8)
choice('times-in-seconds', 'values', None, None, '2 "date-time is an ISO 8601 timestamp string"',
    'Times have no fractions.', op=8)
choice('times-with-plus', 'values', None, None, '2 "date-time is an ISO 8601 timestamp string"',
    'Times have microseconds and +00:00.', op=8)
choice('ids-from-1000', 'values', None, None, SILENT + ' (which integers ids are)', 'New ids begin at 1001.', op=8)
choice('ids-with-gaps', 'values', None, None, SILENT + ' (which integers ids are)', 'Ids have gaps.', op=8)
choice('uuids-of-version-1', 'values', None, None, '2 "Identifiers called uuid are UUID strings" (of any version)',
    'New uuids are of version 1.', op=1)

# Chat.
choice('names-not-of-description', 'chat', None, None, '4 E1 (where a session has its name from is open)',
    'A new session is called New chat.', op=1)
choice('persona-check-400', 'chat', 'chat.persona-check', 'observed', ERRORS, 'An unknown persona gets 400.', op=1)
choice('persona-unchecked', 'chat', 'chat.persona-check', None, ERRORS, 'An unknown persona is accepted.', op=1)
choice('incognito-listed', 'chat', 'chat.incognito', None, '4 E1 incognito (its effect is open)',
    'Incognito sessions are listed as others.', op=1)
choice('incognito-403', 'chat', 'chat.incognito', 'observed', ERRORS, 'Incognito sessions are refused.', op=1)
choice('list-query-ignored', 'chat', 'chat.list-query', None, LISTS, 'E2 takes no parameters.', op=2)
choice('list-of-20', 'chat', 'chat.list-query', None, BOUNDS, 'E2 lists the 20 newest sessions.', op=2)
choice('no-project-chats-listed', 'chat', 'chat.list-query', 'observed', LISTS, 'E2 leaves out sessions in projects.',
    op=2)
choice('oldest-first', 'chat', None, None, SILENT + ' (the order of E2)', 'E2 lists the oldest first.', op=2)
choice('summaries-with-defaults', 'chat', None, None, '2.3 (when a field has no value is open)',
    'Sessions without a model have an empty one, and a default temperature.', op=2)
choice('other-shared-status', 'chat', 'shared-status.values', None,
    '2.3 "public is one value; other values: not shown"', 'shared_status is unlisted.', op=2)
choice('search-parameter-q', 'chat', 'chat.search-query', None, SEARCH, 'The parameter of E3 is called q.', op=3)
choice('search-pages-of-4', 'chat', 'chat.search-query', None, BOUNDS, 'E3 has 4 items on a page.', op=3)
choice('search-by-case', 'chat', 'chat.search-match', None, '4 E3 (what a query matches is open)',
    'A query matches its exact case.', op=3)
choice('search-at-word-starts', 'chat', 'chat.search-match', None, '4 E3 (what a query matches is open)',
    'A query matches at the start of words.', op=3)
choice('search-any-word', 'chat', 'chat.search-match', None, '4 E3 (what a query matches is open)',
    'One word of the query is enough.', op=3)
choice('one-group', 'chat', 'chat.groups', 'one group', '4 E3 "title: string" (which titles is open)',
    'There is one group.', op=3)
choice('other-titles', 'chat', 'chat.groups', None, '4 E3 "title: string" (which titles is open)',
    'Groups have other titles.', op=3)
choice('empty-groups-shown', 'chat', 'chat.groups', None, '4 E3 "groups" (which there are is open)',
    'Empty groups are shown.', op=3)
choice('next-page-always', 'chat', None, None, '4 E3 "next_page: integer"', 'next_page is there also on the last page.',
    op=3)


# Deletion.
def deleted(body):
    def out(reply, request):
        if reply.body is None and reply.raw is None:
            reply.status, reply.body = (204, None) if body == 204 else (200, body)

    return {'out': out, 'ops': (4, 7, 20, 28, 30), 'probe': 'deletions'}


choice('deleted-is-empty-object', 'deletion', 'delete.body', '{}', DELETED, 'Deletions answer {}.', **deleted({}))
choice('deleted-is-204', 'deletion', 'delete.body', '204', DELETED + '; ' + ERRORS, 'Deletions answer 204.',
    **deleted(204))
choice('deleted-is-status', 'deletion', 'delete.body', 'StatusResponse', DELETED, 'Deletions answer a status response.',
    **deleted({'success': True, 'message': 'Deleted', 'data': None}))
choice('deleted-is-message', 'deletion', 'delete.body', None, DELETED, 'Deletions answer a message.',
    **deleted({'message': 'Deleted'}))
choice('deleted-is-true', 'deletion', 'delete.body', None, DELETED, 'Deletions answer true.', **deleted(True))
choice('delete-again-is-fine', 'deletion', 'errors.missing', None, ERRORS,
    'Deleting what is not there is answered as a deletion.', probe='deletions')

# Agents.
choice('patch-replaces-all', 'agents', 'persona.patch', 'full replacement', '4 E6 (absent fields are open)',
    'Absent fields of E6 are emptied.', op=6)
choice('patch-fills-in-defaults', 'agents', 'persona.patch', 'defaults applied', '4 E6 "(boolean, default false)"',
    'Absent fields with a default get it.', op=6)
choice('patch-shows-search-start', 'agents', 'persona.search-start-date', 'yes',
    '2.7 (nothing is said of the E6 response)', 'The response of E6 has search_start_date.', op=6)
choice('unknown-references-left-out', 'agents', None, None, ERRORS,
    'Unknown ids in tool_ids and the like are left out.', op=6)
choice('tools-by-name', 'agents', None, None, '2.7 "tools | Tool[]" (their order is open)', 'Tools are sorted by name.',
    op=5)
choice('labels-backwards', 'agents', None, None, '2.7 "labels" (their order is open)', 'Labels are in reverse order.',
    op=5)
choice('empty-texts-left-out', 'agents', 'responses.null', 'documented', '2.7 (when a field has no value is open)',
    'Empty texts are left out.', op=6)
choice('definitions-with-more', 'agents', None, None, '2.8 "Internal structure of definition ...: not shown"',
    'Definitions of tools have x-source.', op=5, out=fill('tools[].definition.x-source', 'file'))
choice('entities-with-more', 'agents', None, None, '2.9 "Structure of entities: not shown"', 'entities have exclude.',
    op=5, out=fill('document_sets[].federated_connector_summaries[].entities.exclude', []))
choice('fields-of-its-own', 'agents', None, None, '2.7 (other fields are not forbidden)', 'A persona has created_at.',
    op=5, out=fill('.created_at', '2026-01-01T00:00:00Z'))
choice('deprecation-header', 'agents', None, None, '9 "Versioning policy: not shown"', 'E5 has a Deprecation header.',
    op=5, out=header('Deprecation', '@1767225600'))
