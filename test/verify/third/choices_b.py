"""Choices of credentials, connectors, tools, projects, files, users, and of HTTP."""

from choices_a import BOUNDS, ERRORS, SILENT
from switches import at, choice

HTTP = SILENT + ' (HTTP leaves it to the server)'
STATUS = '4 E9 E15 "Condition for the status-response alternative: not shown"'
MESSAGE = '2.5 "message | string or null | no; data | integer or null | no"'

# Credentials.
choice('secrets-shown', 'credentials', 'credential.masking', 'plain', '2.4 "credential_json | object (free-form)"',
    'Secrets are shown as they are.', op=8)
choice('secrets-as-stars', 'credentials', 'credential.masking', None, '2.4 "credential_json | object (free-form)"',
    'Secrets are eight stars.', op=8)
choice('names-may-be-null', 'credentials', None, None, '2.4 "name | string or null | no"',
    'A credential without a name has null.', op=8)
choice('emails-left-out', 'credentials', None, None, '2.4 "user_email | string or null | no"',
    'user_email is left out.', op=8)
choice('emails-null', 'credentials', None, None, '2.4 "user_email | string or null | no"', 'user_email is null.', op=8,
    out=at('credential.user_email', lambda it: None))
choice('owners-null', 'credentials', None, None, '2.4 "user_id | uuid or null | yes"',
    'user_id of a public credential is null.', op=10, out=at('[].user_id', lambda it: None))
choice('defaults-left-out', 'credentials', None, None, '2.4 "curator_public ..., groups | no"',
    'curator_public and groups are left out when they are false or empty.', op=9)
choice('credential-missing-401', 'credentials', 'credential.missing', '401', STATUS, 'An unknown credential gets 401.',
    op=9)
choice('credential-missing-404', 'credentials', 'credential.missing', '404', STATUS, 'An unknown credential gets 404.',
    op=9)
choice('messages-null', 'credentials', None, None, MESSAGE, 'message of a status response is null.', op=13)
choice('messages-left-out', 'credentials', None, None, MESSAGE, 'A status response has no message.', op=13)
choice('status-without-data', 'credentials', 'pairing.data', None, MESSAGE, 'A status response has no data.', op=13)
choice('data-null', 'credentials', 'pairing.data', None, MESSAGE, 'data of a status response is null.', op=13,
    ops=(9, 13, 14, 15), out=at('data', lambda it: None))
choice('newest-credential-first', 'credentials', None, None, SILENT + ' (the order of E10)',
    'E10 lists the newest first.', op=10)
choice('parameter-editable', 'credentials', 'credential.editable-query', None, '4 E11 "its name: not shown"',
    'The parameter of E11 is called editable.', op=11)
choice('only-pfx', 'credentials', 'credential.private-key', 'observed', '4 E12 (which files it takes is open)',
    'E12 takes only .pfx files.', op=12)
choice('needless-credential-refused', 'credentials', None, None, '4 E13 "meant for connectors that need credentials"',
    'Connectors such as web take no credential: success is false.', op=13)
choice('repeated-is-success', 'credentials', 'pairing.repeated', '{success: true}', '4 E13 (again is open)',
    'E13 again answers success true.', op=13)
choice('absent-pair-404', 'credentials', 'pairing.absent', '404', ERRORS, 'E14 without an association gets 404.', op=14)
choice('absent-pair-success', 'credentials', 'pairing.absent', None, '4 E14 (without an association is open)',
    'E14 without an association answers success true.', op=14)
choice('data-is-the-connector', 'credentials', 'pairing.data', "the connector's id", '2.5 "data | integer or null"',
    'data of E13 is the id of the connector.', op=13)

# Connectors.
choice('connector-missing-404', 'connectors', 'connector.missing', '404', STATUS, 'An unknown connector gets 404.',
    op=15)
choice('newest-credential-id-first', 'connectors', None, None, '2.6 "credential_ids" (their order is open)',
    'credential_ids begin with the newest.', probe='pairs')
choice('no-indexing-start', 'connectors', None, None, '2.6 (when a field has no value is open)',
    'indexing_start is left out.', op=15)
choice('operator-docs-operator', 'connectors', 'indexing.operator-name', None, '4 E16 "its name: not shown"',
    'The operator field is called docs_operator.', op=16)
choice('pages-of-5', 'connectors', 'indexing.paging', None, BOUNDS, 'E16 has 5 items on a page.', op=16)
choice('empty-pages-kept', 'connectors', 'indexing.paging', 'keep it, empty', BOUNDS,
    'Groups with an empty page are kept.', op=16)
choice('beyond-the-end-is-the-last', 'connectors', 'indexing.paging', None, BOUNDS,
    'A page beyond the end is the last page.', op=16)
choice('federated-left-out', 'connectors', 'indexing.federated', 'leave them out',
    '2.10 "Fields of the federated ...: not shown"', 'Federated items are left out.', op=16)
choice('federated-with-more', 'connectors', 'indexing.federated', None, '2.10 "Fields of the federated ...: not shown"',
    'Federated items have entities.', op=16)
choice('summary-of-all', 'connectors', None, None, '2.10 "summary" (whether filters count is open)',
    'The summary counts all connectors of the source, also those filtered out.', op=16)
choice('groups-backwards', 'connectors', None, None, '4 E16 "array" (the order is open)',
    'Groups are in reverse order.', op=16)
choice('name-filter-by-case', 'connectors', None, None, '4 E16 name_filter (how it matches is open)',
    'name_filter matches its exact case.', op=16)
choice('name-filter-at-start', 'connectors', None, None, '4 E16 name_filter (how it matches is open)',
    'name_filter matches the start of the name.', op=16)
choice('pair-status-in-lower-case', 'connectors', 'cc-pair-status.values', None,
    '2.10 "SCHEDULED is one value; other values: not shown"', 'cc_pair_status is in lower case.', op=16)
choice('new-pairs-wait', 'connectors', 'indexing.lifecycle', 'manual',
    '3 "Index status states ... Transitions: not shown"', 'New associations stay not_started.', probe='indexing')
choice('zips-stay-whole', 'connectors', 'upload.zip', 'stored as one file',
    '2.15 "zip_metadata (internal structure: not shown)"', 'A zip is stored as one file.', op=17)
choice('paths-are-ids', 'connectors', None, None, '2.15 "file_paths (string[])" (their form is open)',
    'Paths are bare uuids.', op=17)
choice('metadata-with-counts', 'connectors', None, None, '2.15 "internal structure: not shown"',
    'zip_metadata counts files.', op=17)
choice('uploads-of-1-mib', 'connectors', 'limits.upload', 'numbers', BOUNDS, 'Uploads beyond 1 MiB get 413.', op=17)

# Contents and tools.
choice('no-contents', 'tools', 'web.content', None, '2.13 "content (string)"', 'content is empty.', op=18)
choice('contents-as-html', 'tools', 'web.content', None, '2.13 "content (string)"', 'content is HTML.', op=18)
choice('citations-from-0', 'tools', None, None, '2.13 "document_citation_number (integer)"', 'Citations count from 0.',
    op=18)
choice('identifiers-are-ids', 'tools', None, None, '2.13 "unique_identifier_to_strip_away (string)"',
    'Identifiers are uuids in place of urls.', op=18)
choice('same-url-once', 'tools', None, None, SILENT + ' (a url that is sent twice)',
    'A url that is sent twice is fetched once.', op=18)
choice('bad-urls-422', 'tools', None, None, '7.1 (which texts are urls is open)', 'A text that is no url gets 422.',
    op=18)
choice('bad-urls-without-content', 'tools', 'web.content', None, '4 E18 (a page that cannot be fetched is open)',
    'What cannot be fetched is a result without content.', op=18)
choice('methods-in-capitals', 'tools', None, None, '2.14 "method (string)"', 'Methods are in capitals.', op=19)
choice('names-made-up', 'tools', 'tool.definition', None, '4 E19 (which definitions are valid is open)',
    'Operations without operationId get a name.', op=19)
choice('definition-without-paths', 'tools', 'tool.definition', None, '4 E19 (which definitions are valid is open)',
    'A definition without paths has no methods.', op=19)
choice('spec-of-the-path', 'tools', None, None, '2.14 "spec (object)" (its content is open)',
    'spec is the item of the path.', op=19)

# Projects and files.
choice('slash-served', 'projects', 'projects.trailing-slash', 'served', SILENT + ' (the path without its slash)',
    'E21 is served without its slash.', op=21)
choice('slash-404', 'projects', 'projects.trailing-slash', None, ERRORS, 'E21 without its slash gets 404.', op=21)
choice('newest-project-first', 'projects', None, None, SILENT + ' (the order of E21)', 'E21 lists the newest first.',
    op=21)
choice('project-chats-backwards', 'projects', None, None, '2.12 "chat_sessions" (their order is open)',
    'chat_sessions are in reverse order.', op=21)
choice('empty-texts-shown', 'projects', None, None, '2.12 (when a field has no value is open)',
    'A project without instructions has empty ones.', op=21)
choice('failed-files-hidden', 'projects', 'projects.failed-files', 'no',
    '4 E22 "files" (whether failed ones are there is open)', 'E22 leaves out FAILED files.', op=22)
choice('newest-file-first', 'projects', None, None, '4 E22 "files" (their order is open)',
    'Files begin with the last linked.', op=22)
choice('all-personas-in-the-map', 'projects', None, None,
    '4 E22 "persona_id_to_is_default: object" (which keys is open)', 'The map has all personas.', op=22)
choice('no-project-id-in-files', 'files', 'files.project-id', None, '2.11 (when a field has no value is open)',
    'Files have no project_id.', op=24)
choice('temp-ids', 'files', None, None, '2.11 "temp_id (string)"', 'Files have a temp_id.', op=25)
choice('counts-are-0', 'files', None, None, '2.11 (counts of a file that is not read yet are open)',
    'Files that are not completed have counts of 0.', op=25)
choice('files-done-at-once', 'files', 'files.lifecycle', 'immediate', '3 "Transitions: not shown"',
    'Linking does not work on the file again.', op=24)
choice('files-slow', 'files', 'files.lifecycle', None, '3 "Transitions: not shown"',
    'Files are worked on four times as long.', probe='processing')
choice('files-stay-in-processing', 'files', 'files.lifecycle', 'manual', '3 "Transitions: not shown"',
    'PROCESSING never ends.', probe='processing')
choice('deleted-files-gone-at-once', 'files', 'files.deleting', 'gone at once', '3 "Transitions: not shown"',
    'A deleted file is gone at once.', op=26)
choice('project-names-backwards', 'files', None, None, '4 E26 "project_names: string[]" (their order is open)',
    'project_names are in reverse order.', op=26)
choice('reads-are-accesses', 'files', None, None, '2.11 "last_accessed_at (date-time)"', 'E25 moves last_accessed_at.',
    op=25)

# People.
choice('bad-invite-422', 'people', 'invites.invalid', '422',
    '7.4 "Status code for the invalid-email exception: not shown"', 'A bad address gets 422.', op=27)
choice('bad-invite-409', 'people', 'invites.invalid', None,
    '7.4 "Status code for the invalid-email exception: not shown"', 'A bad address gets 409.', op=27)
choice('counts-the-new', 'people', 'invites.count', 'newly invited', '4 E27 "a bare integer whose meaning: not shown"',
    'The number is that of the newly invited.', op=27)
choice('counts-the-sent', 'people', 'invites.count', None, '4 E27 "a bare integer whose meaning: not shown"',
    'The number is that of the addresses sent.', op=27)
choice('active-users-stay', 'people', 'users.delete-active', '400 unless deactivated', ERRORS,
    'An active user is not deleted: 400.', op=28)
choice('may-delete-oneself', 'people', 'users.delete-active', None, ERRORS, 'An administrator can delete itself.',
    op=28)
choice('other-roles', 'people', 'roles.values', 'any string', '4 E29 "Allowed role values: not shown"',
    'Roles have other names.', op=29)

# HTTP.
for name, says in (
    ('connection-close', 'Each connection is closed after a reply.'),
    ('chunked', 'Replies are sent in chunks.'),
    ('http-1.0', 'Replies are HTTP/1.0.'),
    ('headers-in-lower-case', 'Header names are in lower case.'),
    ('headers-in-capitals', 'Header names are in capitals.'),
    ('no-reason-phrase', 'The status line has no reason.'),
    ('no-date', 'Replies have no Date.'),
    ('charset-named', 'The media type names its charset.'),
    ('gzipped', 'Replies are gzipped for clients that accept it.'),
    ('headers-of-limits', 'Replies have X-RateLimit headers.'),
    ('header-request-id', 'Replies have X-Request-Id.'),
    ('header-no-store', 'Replies are not to be stored.'),
    ('header-server', 'Replies name a server.'),
    ('header-version', 'Replies name the version 1.0.0.'),
    ('sets-a-cookie', 'Replies set a cookie.'),
    ('allows-all-origins', 'Replies allow all origins.'),
    ('keys-in-other-order', 'Objects have their keys in another order.'),
    ('json-indented', 'JSON is indented.'),
    ('json-in-ascii', 'Characters beyond ASCII are escaped in JSON.'),
    ('json-ends-with-newline', 'JSON ends with a line end.'),
    ('no-head', 'HEAD is not served.'),
    ('answers-options', 'OPTIONS is answered with 204.'),
    ('doubled-slashes-are-one', 'Slashes in a row count as one.'),
    ('slow', 'Each reply takes a quarter of a second.'),
):
    choice(name, 'http', None, None, HTTP, says, probe='http')
