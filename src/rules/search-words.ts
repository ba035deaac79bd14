import type { Rows } from '../contract/types.gen.js'
import { WordIndex } from '../store/words.js'
import type { Context } from './rule.js'

type Session = Rows['chatSessions']

/** With more words to follow than that, it is faster to walk all sessions: nearly every one is a hit. */
const manyWords = 100

/**
 * The caller's sessions whose name has every one of these texts in some word, newest first. A text of the query has
 * no space, so it lies within a word: the index has the words that there are, and the sessions of each.
 */
export function* withWords({ rows, user }: Context, texts: string[]): Iterable<Session> {
  const index = WordIndex.of(rows.chatSessions, 'user_id', 'name', 'time_created')
  const hits = texts.map((text) => ({ text, words: index.wordsWith(user.id, text) }))
  const fewest = hits.reduce((a, b) => (b.words.length < a.words.length ? b : a))
  if (fewest.words.length > manyWords) {
    for (const session of rows.chatSessions.where('byCreation', user.id, { descending: true })) {
      if (hasAll(session, texts)) yield session
    }
    return
  }
  const lists = fewest.words.map((word) => index.rows(user.id, word))
  const others = texts.filter((text) => text !== fewest.text)
  for (const session of newestFirst(index, lists)) if (hasAll(session, others)) yield session
}

function hasAll(session: Session, texts: string[]): boolean {
  if (texts.length === 0) return true
  const name = (session.name ?? '').toLowerCase()
  return texts.every((text) => name.includes(text))
}

/** Several lists, each from the oldest to the newest, as one from the newest to the oldest, each session once. */
function* newestFirst({ order }: WordIndex<Session>, lists: (readonly Session[])[]): Iterable<Session> {
  const left = lists.map((list) => ({ list, at: list.length - 1 }))
  let last: Session | undefined
  for (;;) {
    let newest: (typeof left)[number] | undefined
    for (const it of left) {
      if (it.at < 0) continue
      if (!newest || order(it.list[it.at] as Session, newest.list[newest.at] as Session) > 0) newest = it
    }
    if (!newest) return
    const session = newest.list[newest.at--] as Session
    if (session !== last) yield session
    last = session
  }
}
