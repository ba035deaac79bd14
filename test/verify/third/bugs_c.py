"""Bugs of projects, files, users and limits (E21 to E30)."""

from bugs_a import INVALID, ISO, becomes
from switches import at, bug, media, rename, status

OWN = '1 "per-user projects hold instructions, chat sessions and linked uploaded files"'
STORES = '4 E23 "Creates or updates the instructions stored on the project"; "Response 200: {instructions: string}"'
FILE = '2.11 UserFile snapshot'
ONLY_ONCE = '3.3 "creates the association only if it does not already exist"'
ANY_STATUS = '3.1 "Reading a user file by id returns it in any status"'
REMOVES = '3.2 "Deleting a user file also removes its project associations"'
CALLERS_FILE = '4 E24 "Links an existing user file of the caller to the project"'
NOBODY = '4 E27 "if any fails validation, nobody is invited and an exception is raised"; 7.2'

# E21.
bug('e21-everybody', 'users', OWN, 'Projects of all users are listed.', op=21)
bug('e21-chats-are-ids', 'shape', '2.12 "chat_sessions (ChatSessionSummary[])"', 'chat_sessions are ids.', op=21,
    out=at('[].chat_sessions[]', lambda it: it['id']))
bug('e21-stale', 'stale', '4 E21, E23; 2.12 "instructions"', 'The list is two seconds old.', op=21)
bug('e21-id-is-text', 'type', '2.12 "id (integer)"', 'The id is a text.', op=21, out=at('[].id', str))
bug('e21-user-is-a-number', 'type', '2.12 "user_id (uuid)"', 'user_id is a number.', op=21,
    out=at('[].user_id', lambda it: int(it[-4:], 16)))
bug('e21-created-is-a-number', 'type', ISO + '; 2.12', 'created_at is in milliseconds.', op=21,
    out=at('[].created_at', lambda it: 1767225600000))
bug('e21-in-an-object', 'shape', '4 E21 "Response 200: Project[]"', 'The list is in an object.', op=21,
    out=at('', lambda it: {'projects': it}))
bug('e21-sessions-of-all-projects', 'state', '2.12 "chat_sessions"; ' + OWN,
    'Each project shows all sessions of the user.', op=21)
bug('e21-without-chats-left-out', 'filter', OWN, 'Projects without chat sessions are not listed.', op=21)
bug('e21-oldest-lost', 'paging', OWN, 'The first project is not listed.', op=21)
bug('e21-chats-null', 'null', '2.12 "chat_sessions (ChatSessionSummary[])"',
    'chat_sessions are null when there are none.', op=21, out=at('[].chat_sessions', lambda it: it or None))

# E22.
bug('e22-of-others', 'users', OWN, 'Projects of other users can be read.', op=22)
bug('e22-files-are-ids', 'shape', '4 E22 "files: UserFile[]"', 'files are ids.', op=22, out=at('files[]',
    lambda it: it['id']))
bug('e22-map-is-a-list', 'type', '4 E22 "persona_id_to_is_default: object"', 'persona_id_to_is_default is an array.',
    op=22, out=at('persona_id_to_is_default', lambda it: list(it.items())))
bug('e22-files-of-all-projects', 'state', OWN + '; 4 E22 "files"', 'All files of the user are shown.', op=22)
bug('e22-id-up-to-a-letter', 'validation', INVALID, 'The id 1x is read as 1.', op=22, lax=('project_id',))
bug('e22-flat', 'shape', '4 E22 "{project: Project, files, ...}"', 'The fields of the project are not under project.',
    op=22, out=at('', lambda it: {**it['project'], **{key: value for key, value in it.items() if key != 'project'}}))
bug('e22-files-are-stale', 'stale', '4 E22, E24; 3.3', 'The files are two seconds old.', op=22)
bug('e22-first-file-lost', 'paging', '4 E22 "files: UserFile[]"', 'The first linked file is not shown.', op=22)
bug('e22-nothing-is-null', 'null', '4 E22 "files: UserFile[]"', 'files are null when there are none.', op=22,
    out=at('files', lambda it: it or None))

# E23.
for name, kind, says in (
    ('trimmed', 'text', 'Spaces around the instructions are cut.'),
    ('cut-at-1000', 'text', 'Instructions are cut at 1000 characters.'),
    ('beyond-bmp-lost', 'text', 'Characters beyond the BMP are dropped.'),
    ('lines-joined', 'text', 'Line ends are spaces.'),
    ('quotes-escaped', 'text', 'Quotes are escaped once too often.'),
    ('tabs-as-spaces', 'text', 'Tabs are spaces.'),
    ('percent-decoded', 'text', 'What looks like a percent-encoded character is decoded.'),
    ('plus-as-space', 'text', 'A plus sign is stored as a space.'),
    ('cut-at-65535', 'text', 'Instructions are cut at 65535 bytes.'),
    ('not-kept', 'state', 'The response has the new instructions, but the project keeps the old ones.'),
    ('answers-before-it-writes', 'state', 'The response has all, but the project keeps 80 characters.'),
    ('appended', 'state', 'New instructions are added to the old ones.'),
    ('in-all-projects', 'state', 'All projects of the user get the instructions.'),
    ('clears-the-description', 'neighbour', 'The description of the project is lost.'),
    ('empty-ignored', 'state', 'Empty instructions do not replace the old ones.'),
):
    bug(f'e23-{name}', kind, STORES, says, op=23)
bug('e23-digits-are-a-number', 'type', '4 E23 "{instructions: string}"',
    'Instructions of digits only are answered as a number.',
    op=23, out=at('instructions', lambda it: int(it) if it.isdecimal() else it))
bug('e23-of-others', 'users', OWN, 'Instructions of other users’ projects can be changed.', op=23)
bug('e23-of-any-kind', 'validation', INVALID, 'instructions may be a number or an object.', op=23,
    lax=('instructions',))
bug('e23-created-is-201', 'status', '4 E23 "Response 200: {instructions: string}"', 'The answer is 201.', op=23,
    out=status(201))
bug('e23-works-before-the-token', 'auth', '4 "All endpoints require the bearer authorization header"',
    'Without a token the answer is 401, but the instructions are changed.', op=23)
bug('e23-answers-a-text', 'shape', '4 E23 "{instructions: string}"', 'The answer is the bare text.', op=23,
    out=at('', lambda it: it['instructions']))

# E24.
bug('e24-again-is-twice', 'state', ONLY_ONCE, 'A file that is linked again is there twice.', op=24)
bug('e24-twice-at-once', 'race', ONLY_ONCE, 'A file that is linked twice at the same moment is there twice.', op=24,
    race=True, probe='links_at_once')
bug('e24-one-of-two-lost', 'race', '4 E24 "Links an existing user file of the caller to the project"',
    'Of two files linked at the same moment one is lost.', op=24, race=True, probe='two_files_at_once')
bug('e24-again-unlinks', 'state', ONLY_ONCE, 'A file that is linked again is unlinked.', op=24)
bug('e24-moves', 'state', CALLERS_FILE + '; 3.2 "its project associations"', 'A linked file leaves its other projects.',
    op=24)
bug('e24-replaces-the-files', 'state', CALLERS_FILE, 'The files that the project had are unlinked.', op=24)
bug('e24-file-of-others', 'users', CALLERS_FILE, 'Files of other users can be linked.', op=24)
bug('e24-project-of-others', 'users', OWN, 'Files can be linked to projects of other users.', op=24)
bug('e24-not-linked', 'state', CALLERS_FILE, 'The file is answered, but not linked.', op=24)
bug('e24-copies', 'state', CALLERS_FILE, 'A copy of the file with another id is linked.', op=24)
bug('e24-status-in-lower-case', 'type', '2.2 "user file status | PROCESSING, ..."', 'The status is in lower case.',
    op=24, out=at('status', str.lower))
bug('e24-created-is-201', 'status', '4 E24 "Response 200: UserFile snapshot"', 'The answer is 201.', op=24,
    out=status(201))
bug('e24-any-file-id', 'validation', INVALID, 'A file id that is no uuid is answered with 404.', op=24,
    lax=('file_id',))
bug('e24-project-is-text', 'type', '2.11 "project_id (integer)"', 'project_id is a text.', op=24, out=at('project_id',
    str))

# E25.
bug('e25-failed-is-404', 'state', ANY_STATUS, 'A FAILED file is not found.', op=25)
bug('e25-canceled-is-500', 'state', ANY_STATUS, 'Reading a CANCELED file fails with 500.', op=25)
bug('e25-processing-is-202', 'status', ANY_STATUS + '; 4 E25 "Response 200"', 'A PROCESSING file is answered with 202.',
    op=25)
bug('e25-failed-has-a-word', 'type', '2.2 "user file status"', 'The status of a failed file is a sentence.', op=25)
bug('e25-cancelled', 'type', '2.2 "PROCESSING, COMPLETED, FAILED, CANCELED, DELETING"',
    'CANCELED is spelled CANCELLED.', op=25, out=at('status', lambda it: 'CANCELLED' if it == 'CANCELED' else it))
bug('e25-chat-type-is-mime', 'type', '2.2 "chat_file_type | image, document, plain_text, csv"',
    'chat_file_type is a media type.', op=25, out=at('chat_file_type', lambda it: 'text/plain'))
bug('e25-created-is-a-number', 'type', '2.11 "created_at (date-time)"', 'created_at is a number.', op=25,
    out=at('created_at', lambda it: 1767225600.5))
bug('e25-tokens-are-text', 'type', '2.11 "token_count (integer)"', 'token_count is a text.', op=25,
    out=at('token_count', lambda it: f'{it} tokens'))
bug('e25-chunks-null', 'null', '2.11 "chunk_count (integer)"; 2 "T|null"', 'chunk_count is null.', op=25,
    out=at('chunk_count', lambda it: None))
bug('e25-user-is-email', 'type', '2.11 "user_id (uuid)"', 'user_id is an email.', op=25,
    out=at('user_id', lambda it: 'ada@atelier.example'))
bug('e25-bad-id-is-404', 'validation', INVALID, 'An id that is no uuid is answered with 404.', op=25, **becomes(404))
bug('e25-of-the-last-reader', 'race', '4 E25 "/file/{file_id}"',
    'Of two reads at the same moment one gets the file of the other.', op=25, race=True, probe='reads_at_once')
bug('e25-in-a-file-field', 'shape', '4 E25 "Response 200: UserFile snapshot"', 'The snapshot is under file.', op=25,
    out=at('', lambda it: {'file': it}))

# E26.
bug('e26-kept', 'state', '4 E26 "Deletes the caller\'s file and its project associations"', 'Nothing is deleted.',
    op=26)
bug('e26-still-in-details', 'state', REMOVES, 'The project still shows a deleted file.', op=26)
bug('e26-one-link-only', 'state', REMOVES, 'A file in two projects stays in one of them.', op=26)
bug('e26-of-others', 'users', '4 E26 "Deletes the caller\'s file"', 'Files of other users are deleted.', op=26)
bug('e26-ids-for-names', 'type', '4 E26 "project_names: string[]"', 'project_names are ids.', op=26)
bug('e26-names-in-a-text', 'type', '4 E26 "project_names: string[]"', 'project_names are one text.', op=26,
    out=at('project_names', ', '.join))
bug('e26-no-assistants-null', 'null', '4 E26 "assistant_names: string[]"',
    'assistant_names are null when there are none.', op=26, out=at('assistant_names', lambda it: it or None))
bug('e26-counts-associations', 'type', '4 E26 "has_associations: boolean"', 'has_associations is a number.', op=26,
    out=at('has_associations', int))
bug('e26-takes-the-projects', 'state', '4 E26 "Deletes the caller\'s file and its project associations"',
    'Projects with the file are deleted.', op=26)
bug('e26-takes-all-files-of-the-projects', 'state', '4 E26 "Deletes the caller\'s file"',
    'The other files of its projects are deleted too.', op=26)
bug('e26-takes-same-name', 'state', '4 E26 "/file/{file_id}"', 'Files with the same name are deleted too.', op=26)
bug('e26-bad-id-is-400', 'validation', INVALID, 'An id that is no uuid is answered with 400.', op=26, **becomes(400))

# E27.
bug('e27-invites-until-the-bad', 'partial', NOBODY, 'Those before a bad address are invited.', op=27)
bug('e27-skips-the-bad', 'partial', NOBODY, 'Bad addresses are left out, the others invited.', op=27)
bug('e27-checks-the-first', 'validation', NOBODY, 'Only the first address is checked.', op=27)
bug('e27-checks-none', 'validation', NOBODY, 'No address is checked.', op=27)
bug('e27-emails-of-any-kind', 'validation', INVALID, 'emails may hold other things than texts.', op=27, lax=('emails',))
bug('e27-in-an-object', 'shape', '4 E27 "Response 200: a bare integer"', 'The number is in an object.', op=27,
    out=at('', lambda it: {'invited': it}))
bug('e27-number-is-text', 'type', '4 E27 "a bare integer"', 'The number is a text.', op=27, out=at('', str))
bug('e27-null', 'null', '4 E27 "a bare integer"', 'The answer is null.', op=27, out=at('', lambda it: None))

# E28.
bug('e28-kept', 'state', '4 E28; 1 "user deletion"', 'The user is not deleted.', op=28)
bug('e28-takes-the-next', 'state', '4 E28 "user_email (string)"', 'The next user is deleted too.', op=28)
bug('e28-takes-the-caller', 'users', '4 E28 "user_email (string)"', 'The caller is deleted in place of the user.',
    op=28)
bug('e28-email-of-any-kind', 'validation', INVALID, 'user_email may be a number or a list.', op=28, lax=('user_email',))
bug('e28-bad-body-is-400', 'validation', INVALID, 'A bad body is answered with 400.', op=28, **becomes(400))

# E29.
bug('e29-in-a-list', 'type', '4 E29 "{role: string}"', 'role is an array.', op=29, out=at('role', lambda it: [it]))
bug('e29-null', 'null', '4 E29 "{role: string}"', 'role is null.', op=29, out=at('role', lambda it: None))
bug('e29-renamed', 'shape', '4 E29 "{role: string}"', 'role is called user_role.', op=29, out=rename('role',
    'user_role'))
bug('e29-role-of-the-first-caller', 'stale', '1 "reading the caller\'s role"', 'All get the role of the first caller.',
    op=29)
bug('e29-bare', 'shape', '4 E29 "{role: string}"', 'The answer is the bare role.', op=29, out=at('',
    lambda it: it['role']))
bug('e29-as-html', 'wire', '0 "bodies are JSON (Content-Type: application/json)"', 'The reply is text/html.', op=29,
    out=media('text/html'))
bug('e29-number', 'type', '4 E29 "{role: string}"', 'role is a number.', op=29, out=at('role', len))
bug('e29-not-json', 'wire', '0 "response bodies are JSON"', 'The reply has a comma too many.', op=29,
    out=lambda reply, request: setattr(reply, 'raw', b'{"role": "admin",}'))

# E30.
bug('e30-kept', 'state', '4 E30; 1 "deleting a token rate limit setting"', 'The limit is not deleted.', op=30)
bug('e30-takes-the-next', 'state', '4 E30 "{token_rate_limit_id}"', 'The limit with the next id is deleted too.', op=30)
bug('e30-takes-all', 'state', '4 E30 "{token_rate_limit_id}"', 'All limits are deleted.', op=30)
bug('e30-id-of-any-kind', 'validation', INVALID, 'An id that is no integer gets 200.', op=30,
    lax=('token_rate_limit_id',))
