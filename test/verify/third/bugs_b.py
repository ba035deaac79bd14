"""Bugs of credentials, connectors, page contents and custom tools (E8 to E20)."""

from bugs_a import INVALID, ISO, becomes
from switches import at, bug, drop, media, rename, status

SNAPSHOT = '2.4 CredentialSnapshot'
STATUS = '2.5 StatusResponse[int]'
CREATES = '4 E8 body and "{id: integer, credential: CredentialSnapshot}"; 1 "stores credentials"'

# E8.
bug('e8-created-is-201', 'status', '4 E8 "Response 200"', 'A created credential is answered with 201.', op=8,
    out=status(201))
bug('e8-ids-differ', 'state', CREATES, 'id is one more than the id of the credential.', op=8, out=at('id',
    lambda it: it + 1))
bug('e8-id-is-text', 'type', CREATES, 'The ids are texts.', op=8, out=at('id', str))
bug('e8-all-public', 'lost', CREATES, 'admin_public false is stored as true.', op=8)
bug('e8-curator-public-by-default', 'default', '4 E8 "curator_public (boolean, default false)"',
    'Without curator_public it is true.', op=8)
bug('e8-groups-lost', 'lost', CREATES, 'The groups are not stored.', op=8)
bug('e8-user-id-lost', 'lost', '2.4 "user_id | uuid or null | yes"', 'The snapshot has no user_id.', op=8)
bug('e8-an-hour-ahead', 'time', '2.4 "time_created | date-time", the moment of the creation',
    'The times of a new credential are an hour ahead.', op=8)
bug('e8-time-as-in-headers', 'type', ISO, 'Times are written as in HTTP headers.', op=8,
    out=at('credential.time_created', lambda it: 'Thu, 01 Jan 2026 08:00:00 GMT'))
bug('e8-source-of-any-kind', 'validation', INVALID + '; 2.1 "It has 55 allowed values"', 'The source is not checked.',
    op=8, lax=('source',))
bug('e8-json-of-any-kind', 'validation', INVALID, 'credential_json may be a list or a text.', op=8,
    lax=('credential_json',))
bug('e8-groups-of-any-kind', 'validation', INVALID, 'groups may be texts.', op=8, lax=('groups',))
bug('e8-keys-in-lower-case', 'text', CREATES, 'The keys of credential_json are stored in lower case.', op=8)
bug('e8-inner-objects-as-text', 'type', CREATES, 'Objects in credential_json are stored as JSON in a text.', op=8)
bug('e8-decimals-cut', 'lost', CREATES, 'Decimals in credential_json are cut.', op=8)
bug('e8-nulls-dropped', 'lost', CREATES + '; 2.4 "object (free-form)"', 'Null members of credential_json are dropped.',
    op=8)
bug('e8-name-trimmed', 'text', CREATES, 'Spaces around the name are cut.', op=8)
bug('e8-name-composed', 'text', CREATES, 'A name with combining accents is stored with composed letters.', op=8)
bug('e8-same-id-at-once', 'race', CREATES, 'Credentials created at the same moment share an id, and one is lost.', op=8,
    race=True, probe='credentials_at_once')
bug('e8-same-name-overwritten', 'state', CREATES, 'A new credential replaces one with the same name.', op=8)

# E9.
bug('e9-success-lost', 'lost', '2.5 "success | boolean | yes"', 'The status response has no success.', op=9,
    out=drop('success'))
bug('e9-the-newest', 'state', '4 E9 "/api/manage/credential/{credential_id}"',
    'The newest credential is read for any id.', op=9)
bug('e9-time-updated-lost', 'lost', '2.4 "time_updated | date-time | yes"', 'The snapshot has no time_updated.', op=9)
bug('e9-source-in-capitals', 'type', '2.1; 2.4 "source | DocumentSource"', 'The source is in capitals.', op=9,
    out=at('source', str.upper))
bug('e9-groups-are-text', 'type', '2.4 "groups | integer[]"', 'groups are texts.', op=9, out=at('groups[]', str))
bug('e9-json-is-text', 'type', '2.4 "credential_json | object"', 'credential_json is a text.', op=9,
    out=at('credential_json', str))
bug('e9-bad-id-is-a-status', 'validation', INVALID, 'An id that is no integer gets a status response with 200.', op=9,
    lax=('credential_id',))
bug('e9-in-an-array', 'shape', '4 E9 "CredentialSnapshot or StatusResponse[int]"', 'The answer is an array.', op=9,
    out=at('', lambda it: [it]))
bug('e9-admin-public-null', 'null', '2.4 "admin_public | boolean | yes"', 'admin_public is null when it is false.',
    op=9, out=at('admin_public', lambda it: it or None))
bug('e9-data-is-text', 'type', '2.5 "data | integer or null"', 'data of the status response is a text.', op=9,
    out=at('data', str))
bug('e9-user-id-is-email', 'type', '2.4 "user_id | uuid or null"', 'user_id is an email.', op=9,
    out=at('user_id', lambda it: 'ada@atelier.example'))
bug('e9-no-groups-null', 'null', '2.4 "groups | integer[]"', 'groups are null when there are none.', op=9,
    out=at('groups', lambda it: it or None))

# E10.
bug('e10-private-ones-too', 'filter', '4 E10 "Lists public credentials"',
    'Private credentials of all users are listed.', op=10)
bug('e10-only-of-the-caller', 'filter', '4 E10 "Lists public credentials"',
    'Public ones of other users are not listed.', op=10)
bug('e10-last-one-lost', 'paging', '4 E10 "Lists public credentials"', 'The last one is not listed.', op=10)
bug('e10-cached', 'stale', '4 E10 "Lists public credentials"', 'The list is two seconds old.', op=10)
bug('e10-in-an-object', 'shape', '4 E10 "CredentialSnapshot[]"', 'The list is in an object.', op=10,
    out=at('', lambda it: {'credentials': it}))

# E11.
bug('e11-all-sources', 'filter', '4 E11 "similar-credentials/{source_type}"', 'Credentials of all sources are listed.',
    op=11)
bug('e11-part-of-the-source', 'filter', '4 E11 "source_type is a DocumentSource"',
    'Sources that contain the wanted one match too: user_file for file.', op=11)
bug('e11-source-of-any-kind', 'validation', INVALID + '; 2.1', 'An unknown source gets an empty list.', op=11,
    lax=('source_type',))
bug('e11-source-in-any-case', 'validation', INVALID + '; 2.1', 'SLACK is read as slack, and an unknown source as none.',
    op=11, lax=('source_type',))
bug('e11-editable-turned-round', 'filter', '4 E11 "when true, only editable credentials are returned"',
    'With the parameter only those are returned that cannot be edited.', op=11)
bug('e11-null-for-none', 'null', '4 E11 "Response 200: CredentialSnapshot[]"', 'When there are none, the body is null.',
    op=11)
bug('e11-time-created-lost', 'lost', '2.4 "time_created | date-time | yes"', 'Items have no time_created.', op=11,
    out=drop('[].time_created'))

# E12.
bug('e12-name-lost', 'lost', '4 E12 "name (string)" of the form and the response', 'The name is not stored.', op=12)
bug('e12-json-is-text', 'type', '4 E12 "credential_json: object"', 'credential_json is a text in the response.', op=12,
    out=at('credential_json', str))
bug('e12-groups-are-null', 'null', '4 E12 "groups: integer[]"', 'groups are null.', op=12, out=at('groups',
    lambda it: None))
bug('e12-makes-another', 'state', '4 E12 "PUT .../private-key/{credential_id}"',
    'The credential itself is not changed, only the response shows the change.', op=12)
bug('e12-makes-public', 'neighbour', '4 E12 form fields (admin_public is none of them)',
    'The credential is public afterwards.', op=12)
bug('e12-name-in-latin-1', 'text', '4 E12 "name (string)"', 'A name beyond ASCII is read as Latin-1.', op=12)
bug('e12-name-with-line-end', 'text', '4 E12 "name (string)"', 'The name ends with the line end of the form.', op=12)
bug('e12-after-the-file-lost', 'form', '4 E12 "multipart/form-data with fields"', 'Fields after the file are lost.',
    op=12)
bug('e12-source-of-no-kind', 'type', '4 E12 "source: DocumentSource"',
    'The source in the response is no DocumentSource.',
    op=12, out=at('source', lambda it: f'DocumentSource.{it.upper()}'))
bug('e12-id-of-any-kind', 'validation', INVALID, 'An id that is no integer is answered with 404.', op=12,
    lax=('credential_id',))

# E13.
bug('e13-kept-to-itself', 'state', '4 E13 "Associates a credential with a connector"', 'Nothing is associated.', op=13)
bug('e13-neighbour-connector', 'state', '4 E13 "/connector/{connector_id}/credential/{credential_id}"',
    'The connector with the next id gets the credential.', op=13)
bug('e13-replaces-the-others', 'state', '4 E13 "Associates"; 2.6 "credential_ids (integer[])"',
    'The credentials that the connector had are lost.', op=13)
bug('e13-lost-update', 'race', '4 E13 "Associates a credential with a connector"',
    'Of two credentials associated at the same moment, one is lost.', op=13, race=True, probe='pairs_at_once')
bug('e13-data-is-text', 'type', '2.5 "data | integer or null"', 'data is a text.', op=13, out=at('data', str))
bug('e13-success-is-text', 'type', '2.5 "success | boolean"', 'success is the text ok.', op=13,
    out=at('success', lambda it: 'ok' if it else 'no'))
bug('e13-message-is-an-object', 'type', '2.5 "message | string or null"', 'message is an object.', op=13,
    out=at('message', lambda it: {'text': it}))
bug('e13-groups-of-any-kind', 'validation', INVALID, 'groups may be texts.', op=13, lax=('groups',))
bug('e13-options-of-any-kind', 'validation', INVALID, 'auto_sync_options may be a text.', op=13,
    lax=('auto_sync_options',))

# E14.
bug('e14-kept', 'state', '4 E14 "Dissociates the credential from the connector"', 'Nothing is dissociated.', op=14)
bug('e14-takes-all-of-the-connector', 'state', '4 E14 "Dissociates the credential from the connector"',
    'All credentials are dissociated from the connector.', op=14)
bug('e14-takes-all-of-the-credential', 'state', '4 E14 "Dissociates the credential from the connector"',
    'The credential is dissociated from all connectors.', op=14)
bug('e14-takes-the-credential', 'state', '4 E14 "Dissociates"', 'The credential itself is deleted.', op=14)
bug('e14-takes-the-connector', 'state', '4 E14 "Dissociates"', 'The connector itself is deleted.', op=14)
bug('e14-has-no-body', 'shape', '4 E14 "Response 200: StatusResponse[int]"', 'The response has no body.', op=14,
    out=lambda reply, request: setattr(reply, 'raw', b''))
bug('e14-success-is-null', 'null', '2.5 "success | boolean | yes"', 'success is null.', op=14,
    out=at('success', lambda it: None))
bug('e14-bad-id-is-404', 'validation', INVALID, 'An id that is no integer is answered with 404.', op=14, **becomes(404))
bug('e14-ids-that-begin-alike', 'state', '4 E14 "Dissociates the credential from the connector"',
    'Credentials whose id begins with the same digits are dissociated too.', op=14)

# E15.
bug('e15-credentials-are-objects', 'shape', '2.6 "credential_ids (integer[])"', 'credential_ids are objects.', op=15,
    out=at('credential_ids[]', lambda it: {'id': it}))
bug('e15-config-as-json', 'type', '2.6 "connector_specific_config (object)"', 'The configuration is JSON in a text.',
    op=15, out=at('connector_specific_config', str))
bug('e15-refresh-is-text', 'type', '2.6 "refresh_freq (integer)"', 'refresh_freq is a text.', op=15,
    out=at('refresh_freq', str))
bug('e15-prune-in-days', 'type', '2.6 "prune_freq (integer)"', 'prune_freq has decimals.', op=15,
    out=at('prune_freq', lambda it: it / 7200 + 0.25))
bug('e15-start-is-a-number', 'type', '2.6 "indexing_start (date-time)"', 'indexing_start is a number.', op=15,
    out=at('indexing_start', lambda it: 1767225600))
bug('e15-input-of-no-kind', 'type', '2.2 "connector input_type | load_state, poll, event, slim_retrieval"',
    'input_type is not one of the four.', op=15, out=at('input_type', lambda it: 'pull'))
bug('e15-the-first-for-unknown', 'state', '4 E15 "/api/manage/connector/{connector_id}"',
    'An unknown id reads the first connector.', op=15)
bug('e15-credentials-are-stale', 'stale', '2.6 credential_ids; 4 E13, E14', 'credential_ids are two seconds old.',
    op=15, probe='pairs')
bug('e15-one-credential-only', 'lost', '2.6 "credential_ids (integer[])"', 'Only the first credential is shown.', op=15,
    probe='pairs')
bug('e15-bad-id-is-500', 'validation', INVALID, 'An id that is no integer is answered with 500.', op=15, **becomes(500))

# E16.
bug('e16-access-filter-ignored', 'filter', '4 E16 "access_type_filters (access_type[])"',
    'access_type_filters do nothing.', op=16)
bug('e16-status-filter-ignored', 'filter', '4 E16 "last_status_filters (index status[])"',
    'last_status_filters do nothing.', op=16)
bug('e16-filters-the-finished-status', 'filter',
    '4 E16 "last_status_filters"; 2.10 "last_finished_status, last_status"',
    'last_status_filters look at last_finished_status.', op=16)
bug('e16-name-filter-ignored', 'filter', '4 E16 "name_filter (string)"', 'name_filter does nothing.', op=16)
bug('e16-more-or-equal', 'filter', '4 E16 "comparison operator field with values >, <, ="',
    'The operator > also finds equal counts.', op=16)
bug('e16-less-is-more', 'filter', '4 E16 "comparison operator field with values >, <, ="',
    'The operators < and > are swapped.', op=16)
bug('e16-pages-overlap', 'paging', '4 E16 "source_to_page"; 2.10 "current_page, total_pages"',
    'Page 2 begins with the last item of page 1.', op=16)
bug('e16-last-page-lost', 'paging', '2.10 "total_pages"',
    'total_pages does not count the last page when it is not full.', op=16)
bug('e16-always-page-1', 'paging', '2.10 "current_page"', 'current_page is 1 on each page.', op=16)
bug('e16-counts-are-text', 'type', '2.10 "summary {...}, all integers"', 'The counts are texts.', op=16,
    out=at('[].summary.total_connectors', str))
bug('e16-sync-is-public', 'state', '2.10 "public_connectors"; 2.2 "public, private, sync"',
    'public_connectors also counts those with sync.', op=16)
bug('e16-in-progress-is-text', 'type', '2.10 "in_progress (boolean)"', 'in_progress is a text.', op=16,
    out=at('[].indexing_statuses[].in_progress', str))
bug('e16-status-in-capitals', 'type', '2.2 "index status"; 2.10 "last_status (index status values)"',
    'last_status is in capitals.', op=16, out=at('[].indexing_statuses[].last_status', str.upper))
bug('e16-filters-of-any-kind', 'validation', INVALID, 'Unknown access types in the filter pass.', op=16,
    lax=('access_type_filters',))
bug('e16-index-of-any-kind', 'validation', INVALID, 'secondary_index is not checked.', op=16, lax=('secondary_index',))
bug('e16-by-source', 'shape', '4 E16 "array of indexing status groups"',
    'The groups are an object with sources as keys.',
    op=16, out=at('', lambda it: {group['source']: group for group in it}))
bug('e16-item-in-the-wrong-group', 'state', '2.10 "source"; groups by source',
    'The last item of one source is in the group of another.', op=16)
bug('e16-docs-null', 'null', '2.10 "docs_indexed (integer)"', 'docs_indexed is null when it is 0.', op=16,
    out=at('[].indexing_statuses[].docs_indexed', lambda it: it or None))
bug('e16-filter-is-a-pattern', 'text', '4 E16 "name_filter (string)"; "Response 200"',
    'name_filter is a regular expression: a bracket fails with 500.', op=16)
bug('e16-failing-is-null', 'null', '2.10 "in_repeated_error_state (boolean)"',
    'in_repeated_error_state is null where it would be true.', op=16,
    out=at('[].indexing_statuses[].in_repeated_error_state', lambda it: None if it else False))

# E17.
bug('e17-first-file-only', 'lost', '4 E17 "files (one or more files)"', 'Only the first file is stored.', op=17)
bug('e17-no-files', 'validation', INVALID + '; 4 E17 "one or more files"', 'A form without files gets 200.', op=17)
bug('e17-empty-files-dropped', 'lost', '4 E17 "files (one or more files)"', 'Empty files are left out.', op=17)
bug('e17-same-name-once', 'lost', '4 E17 "files (one or more files)"',
    'Of files with the same name only one is stored.', op=17)
bug('e17-names-in-lower-case', 'text', '2.15 "file_names (string[])"', 'File names are in lower case.', op=17)
bug('e17-endings-lost', 'text', '2.15 "file_names (string[])"', 'File names have no endings.', op=17)
bug('e17-cut-at-the-space', 'text', '2.15 "file_names (string[])"', 'File names end at the first space.', op=17)
bug('e17-names-as-in-a-path', 'text', '2.15 "file_names (string[])"', 'Spaces in file names are %20.', op=17)
bug('e17-names-backwards', 'order', '2.15 "file_paths (string[]), file_names (string[])", two lists of the same files',
    'file_names are in reverse order, and do not fit to file_paths.', op=17, out=at('file_names', lambda it: it[::-1]))
bug('e17-metadata-is-null', 'null', '2.15 "zip_metadata (object)"', 'zip_metadata is null.', op=17,
    out=at('zip_metadata', lambda it: None))
bug('e17-metadata-is-a-list', 'type', '2.15 "zip_metadata (object)"', 'zip_metadata is an array.', op=17,
    out=at('zip_metadata', list))
bug('e17-paths-are-objects', 'type', '2.15 "file_paths (string[])"', 'file_paths are objects.', op=17,
    out=at('file_paths[]', lambda it: {'path': it}))
bug('e17-no-form-500', 'validation', INVALID, 'A body that is no form is answered with 500.', op=17)

# E18.
bug('e18-urls-may-be-empty', 'validation', '8.1 "urls in E18 must contain at least one entry"',
    'An empty list of urls passes.', op=18)
bug('e18-urls-may-be-missing', 'validation', '4 E18 "urls (string[], minimum length 1, required)"',
    'urls may be absent.', op=18)
bug('e18-urls-of-any-kind', 'validation', INVALID + '; 4 E18 "urls (string[]...)"', 'urls may be numbers, or one text.',
    op=18, lax=('urls',))
bug('e18-first-only', 'lost', '4 E18 "Fetches content for specific URLs"', 'Only the first url is fetched.', op=18)
bug('e18-type-in-camel-case', 'type', '2.2 "web result type | open_url"', 'type is openUrl.', op=18,
    out=at('results[].type', lambda it: 'openUrl'))
bug('e18-other-provider', 'type', '4 E18 "provider_type: string (value service_web_crawler)"',
    'provider_type is internal.', op=18, out=at('provider_type', lambda it: 'internal'))
bug('e18-citation-is-text', 'type', '2.13 "document_citation_number (integer)"', 'The citation number is a text.',
    op=18, out=at('results[].document_citation_number', str))
bug('e18-content-is-lines', 'type', '2.13 "content (string)"', 'content is an array of lines.', op=18,
    out=at('results[].content', str.splitlines))
bug('e18-by-url', 'shape', '4 E18 "results: [web content result]"', 'results are an object with the urls as keys.',
    op=18, out=at('results', lambda it: {row['unique_identifier_to_strip_away']: row for row in it}))
bug('e18-as-text', 'wire', '0 "bodies are JSON (Content-Type: application/json)"', 'The reply is text/plain.', op=18,
    out=media('text/plain; charset=utf-8'))

# E19.
bug('e19-methods-are-names', 'shape', '4 E19 "methods: [custom tool method]"', 'methods are names.', op=19,
    out=at('methods[]', lambda it: it['name']))
bug('e19-spec-is-text', 'type', '2.14 "spec (object)"', 'spec is a text.', op=19, out=at('methods[].spec', str))
bug('e19-one-method-per-path', 'lost', '2.14; 4 E19 "methods"', 'Only the first method of each path is found.', op=19)
bug('e19-definition-of-any-kind', 'validation', INVALID + '; 4 E19 "definition (object)"',
    'A definition that is an array or a text passes.', op=19, lax=('definition',))
bug('e19-summary-null', 'null', '2.14 "summary ... (strings)"', 'summary is null.', op=19,
    out=at('methods[].summary', lambda it: None))
bug('e19-bare-list', 'shape', '4 E19 "{methods: [...]}"', 'The answer is a bare array.', op=19,
    out=at('', lambda it: it['methods']))
bug('e19-renamed', 'shape', '2.14 "name, summary, path, method"', 'path is called url.', op=19,
    out=rename('methods[].path', 'url'))

# E20.
bug('e20-kept', 'state', '4 E20; 1 "validates and deletes administrator-defined tools"', 'The tool is not deleted.',
    op=20)
bug('e20-takes-its-personas', 'state', '4 E20 "/custom/{tool_id}"', 'Personas with the tool are deleted too.', op=20)
bug('e20-takes-all-tools-of-a-persona', 'state', '4 E20 "/custom/{tool_id}"',
    'Personas with the tool lose all their tools.', op=20)
bug('e20-id-of-any-kind', 'validation', INVALID, 'An id that is no integer gets 200.', op=20, lax=('tool_id',))
