/** Absent in tests of parts of the pages. */
const page = (globalThis as { document?: { documentElement: { dataset: Record<string, string | undefined> } } })
  .document

const { title, users = '', collection, token = '', path, row, manual, more = '' } = page?.documentElement.dataset ?? {}

/** The API that the mock serves, as the root element of the page names it. */
export const api = {
  title,
  /** The tokens of the users of every fixture set. The first is that of an administrator. */
  users: users.split(',').filter(Boolean),
  /** The collection of its users, and the field of a row with the token. */
  collection: collection as 'users',
  token,
  path,
  /** The collection and id of a row, for hints. */
  row,
  /** Where the manual is, below the mock. A site on a static host has none. */
  manual,
  /** The pages of the dashboard that only some mocks have. */
  more: more.split(' ')
}

/** Whether the mock runs in the browser, and has no address for other programs. */
export const isInBrowser = manual === undefined

/** The tokens in rows of its users. */
export function tokensIn(rows: readonly object[] = []): string[] {
  return rows.map((row) => String((row as Record<string, unknown>)[token]))
}
