const open = 'The ledger leaves it open'
const rows = 'The rows of a run do not show it'

/** The bugs that verify does not find, with the reason. */
export const missed: Readonly<Record<string, string>> = {
  'chat-name-null': `${open}: a text without a value may be null (responses.null).`,
  'chats-null-when-none': `${rows}: both users of a run have sessions.`,
  'search-query-ignored': 'The description does not name the parameter of the query.',
  'agent-private-read-by-all': `${open}: persona.visibility, everyone.`,
  'agent-labels-null-when-none':
    'verify itself ends with a TypeError: it maps over the labels before it has checked them.',
  'patch-takes-ownership': `${rows}: the caller owns every agent that may be changed.`,
  'patch-image-kept': `${rows}: only an agent with an image is asked to drop it, and none is given one.`,
  'patch-chunks-at-most-50': 'num_chunks is read back after a change to 13 at most.',
  'agent-delete-takes-tools': `${rows}: no agent that is watched has the tools of the deleted one.`,
  'credential-owner-is-reader': "No credential of one user is read by the other and compared with the owner's view.",
  'credential-nulls-dropped':
    'The unusual credential_json is left out once the server refuses half of a surrogate pair in the name.',
  'credential-secret-nested-lost': 'As credential-nulls-dropped.',
  'credential-numbers-cut': 'As credential-nulls-dropped.',
  'credential-groups-first-only': 'A credential is created with one known group, never with two.',
  'key-owner-changes': 'E12 changes credentials of the caller alone.',
  'no-multipart-500': 'E12 and E17 are sent no body of another media type.',
  'associate-unknown-credential': 'E15 is not read after a credential that does not exist was associated with success.',
  'associate-makes-public': 'Only public credentials are associated.',
  'indexing-docs-last-attempt': 'total_docs_indexed is not compared with the items.',
  'indexing-all-ignored': 'The description names get_all_connectors but not what it does: then the pages are read.',
  'upload-same-name-once': `${open}: upload.same-names, once.`,
  'upload-name-ascii': 'A server may change a name that is not ASCII.',
  'urls-at-most-3': 'No request names more than two addresses and checks the number of pages.',
  'urls-unicode-500': 'No address has a letter beyond ASCII.',
  'urls-content-null': `${open}: a text without a value may be null (responses.null).`,
  'validate-without-summary-500': 'Every method of a definition has a summary.',
  'validate-path-lower': 'Every path of a definition is in lower case.',
  'projects-null-when-none': `${rows}: both users of a run have projects.`,
  'details-completed-only': `${rows}: no failed file is in a project.`,
  'file-failed-404': 'A file that is named but not listed may have a wrong id, so its 404 is listed as not checked.',
  'file-deleting-404': 'As file-failed-404.',
  'file-delete-refused-when-linked': `${open}: files.deletion, refused.`,
  'invite-without-plus': 'No address has a plus, and the description does not say what an address is.',
  'delete-user-by-name': `${rows}: of the users that are named, the next one that is deleted has another name.`,
  'limit-above-255-404': `${rows}: the first two of the limits that are named are deleted.`,
  'limit-valid-422': 'A row that is refused counts as a wrong id, also where the 422 calls an integer invalid.'
}

/** The legal choices in which verify finds a fault, with the reason. */
export const wrong: Readonly<Record<string, string>> = {
  'path-loc-id': 'The description shows the type of loc, not its parts. verify wants the name of the parameter.',
  'half-pairs-replaced':
    "Half of a surrogate pair is no character. Go's encoding/json puts U+FFFD in its place, and verify wants it back.",
  'agent-empty-absent': 'Section 2.7 does not say which fields are required. verify requires groups and user_file_ids.',
  'credential-groups-absent': 'Section 2.4 does not require groups. verify requires them in the reply of E12.'
}
