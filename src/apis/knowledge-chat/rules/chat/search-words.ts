import { stemmer } from 'stemmer'
import { inMap } from '../../../../engine/contract/once.js'
import { searchable, WordIndex, wordsOf } from '../../../../engine/store/words.js'
import type { Rows } from '../../types.gen.js'
import type { Context } from '../rule.js'

/** Up to this number, searching for texts one by one is faster. */
const few = 4

/** Checks whether a text contains every one of these, in one pass, however many they are. */
export function finderOf(texts: readonly string[]): (text: string) => boolean {
  return texts.length <= few ? (text) => texts.every((it) => text.includes(it)) : automatonOf(texts)
}

/** A prefix of some of the texts. */
interface Node {
  next: Map<number, Node>
  /** The longest other prefix that is a suffix of this one. */
  shorter: Node | undefined
  /** The longest whole text that is a suffix of this one, including itself. */
  whole: Node | undefined
}

/** The algorithm of Aho and Corasick. */
function automatonOf(texts: readonly string[]): (text: string) => boolean {
  const root = node()
  for (const text of texts) {
    let at = root
    for (let place = 0; place < text.length; place++) {
      at = inMap(at.next, text.charCodeAt(place), node)
    }
    at.whole = at
  }
  // Shortest prefixes first: a node only refers to shorter ones, which are complete.
  const nodes = [root]
  for (const at of nodes) {
    for (const [code, next] of at.next) {
      next.shorter = at === root ? root : step(at.shorter as Node, code)
      next.whole ??= next.shorter.whole
      nodes.push(next)
    }
  }
  const count = new Set(texts).size
  return (text) => {
    const matches = new Set<Node>()
    let at = root
    for (let place = 0; place < text.length && matches.size < count; place++) {
      at = step(at, text.charCodeAt(place))
      // If a text was found before, so were its suffixes.
      for (let whole = at.whole; whole && !matches.has(whole); whole = whole.shorter?.whole) matches.add(whole)
    }
    return matches.size === count
  }
}

function step(from: Node, code: number): Node {
  for (let at = from; ; at = at.shorter) {
    const next = at.next.get(code)
    if (next || !at.shorter) return next ?? at
  }
}

function node(): Node {
  return { next: new Map(), shorter: undefined, whole: undefined }
}

type Session = Rows['chatSessions']

/** The number of texts to look up in the index. The longest are used, because they have the fewest hits. */
const mostLookedUp = 3

/** If more words match, walking all sessions is faster, because nearly all of them are hits. */
const manyWords = 100

const fields = { owner: 'user_id', text: 'name', time: 'time_created' } as const

/**
 * The caller's sessions whose name contains every one of these texts, newest first. A term of the query has no space, so it
 * lies within a word. The index has the words and the sessions of each. Each term is looked up once, so the cost is
 * proportional to the length of the query plus the names.
 */
export function* withWords(context: Context, query: string): Iterable<Session> {
  const { rows, user } = context
  const texts = wordsOf(query.toLowerCase()).sort((a, b) => b.length - a.length)
  const index = WordIndex.of(rows.chatSessions, 'words of names', { ...fields, split: wordsOf })
  const lookedUp = texts.slice(0, mostLookedUp).map((text) => index.wordsWith(user.id, text))
  const fewest = lookedUp.reduce((a, b) => (a && b && b.length < a.length ? b : a))
  const hasAll = finderOf(texts)
  const candidates =
    fewest && fewest.length <= manyWords
      ? newestFirst(
          index,
          fewest.map((word) => index.rows(user.id, word) as readonly Session[])
        )
      : rows.chatSessions.where('byCreation', user.id, { descending: true })
  for (const session of candidates) if (hasAll(searchable(session.name))) yield session
}

/** Sessions whose name has the stem of every word, newest first. */
export function* withStems({ rows, user }: Context, query: string): Iterable<Session> {
  const words = stemsOf(query.toLowerCase())
  const index = WordIndex.of(rows.chatSessions, 'stems of names', { ...fields, split: stemsOf })
  const lists = words.flatMap((stem) => {
    const list = index.rows(user.id, stem)
    return list ? [list] : []
  })
  if (lists.length < words.length) {
    for (const session of rows.chatSessions.where('byCreation', user.id, { descending: true })) {
      const present = new Set(stemsOf(searchable(session.name)))
      if (words.every((stem) => present.has(stem))) yield session
    }
    return
  }
  const [fewest = [], ...others] = lists.sort((a, b) => a.length - b.length)
  for (const session of newestFirst(index, [fewest])) {
    if (others.every((list) => isIn(index, list, session))) yield session
  }
}

/** Stemming takes much longer than a look-up, and the same words appear again and again. */
const stems = new Map<string, string>()
const mostStems = 50_000

function stemsOf(text: string): string[] {
  const result = new Set<string>()
  for (const word of text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    let stem = stems.get(word)
    if (stem === undefined) {
      stem = stemmer(word)
      if (stems.size >= mostStems) stems.clear()
      stems.set(word, stem)
    }
    result.add(stem)
  }
  return [...result]
}

/** Whether a list from the oldest to the newest has a session (binary search). */
function isIn({ order }: WordIndex<Session>, list: readonly Session[], session: Session): boolean {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (order(list[middle] as Session, session) < 0) from = middle + 1
    else to = middle
  }
  return list[from] === session
}

/** Merges lists from the oldest to the newest into one from the newest to the oldest, without duplicates. */
function* newestFirst({ order }: WordIndex<Session>, lists: (readonly Session[])[]): Iterable<Session> {
  const cursors = lists.map((list) => ({ list, at: list.length - 1 }))
  let last: Session | undefined
  for (;;) {
    let newest: (typeof cursors)[number] | undefined
    for (const it of cursors) {
      if (it.at < 0) continue
      if (!newest || order(it.list[it.at] as Session, newest.list[newest.at] as Session) > 0) newest = it
    }
    if (!newest) return
    const session = newest.list[newest.at--] as Session
    if (session !== last) yield session
    last = session
  }
}
