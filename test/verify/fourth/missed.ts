const open = 'The ledger leaves it open'
const rows = 'The rows of a run do not show it'

/** The bugs that verify does not find, with the reason. */
export const missed: Readonly<Record<string, string>> = {
  'chat-name-null': `${open}: a text without a value may be null (responses.null).`,
  'chats-null-when-none': `${rows}: both users of a run have sessions.`,
  'search-query-ignored': 'The description does not name the parameter of the query.',
  'agent-private-read-by-all': `${open}: persona.visibility, everyone.`,
  'patch-takes-ownership': `${rows}: the caller owns every agent that may be changed.`,
  'agent-delete-takes-tools': `${rows}: no agent that is watched has the tools of the deleted one.`,
  'key-owner-changes': `${open}: credential.new-owner, caller.`,
  'indexing-all-ignored': 'The description names get_all_connectors but not what it does: then the pages are read.',
  'upload-same-name-once': `${open}: upload.same-names, once.`,
  'upload-name-ascii': 'A server may change a name that is not ASCII.',
  'urls-content-null': `${open}: a text without a value may be null (responses.null).`,
  'projects-null-when-none': `${rows}: both users of a run have projects.`,
  'details-completed-only': `${rows}: no failed file is in a project.`,
  'file-failed-404': 'A file that is named but not listed may have a wrong id, so its 404 is listed as not checked.',
  'file-deleting-404': 'As file-failed-404.',
  'file-delete-refused-when-linked': `${open}: files.deletion, refused.`,
  'delete-user-by-name': `${rows}: of the users that are named, the next one that is deleted has another name.`,
  'limit-above-255-404': `${rows}: the first two of the limits that are named are deleted.`
}
