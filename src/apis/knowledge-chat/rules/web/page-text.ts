/**
 * The text of pages that are never fetched: a title from the address, and paragraphs from a small grammar. The same
 * address and seed give the same text. A page repeats no sentence.
 */

const openings = [
  '{topic} is one of the pages that {team} keeps on {host}.',
  'This page on {host} explains {topic} and says who to ask about it.',
  'Since {month}, {team} has kept everything about {topic} in one place, and this is it.',
  'What follows is the current state of {topic}, as {team} wrote it down in {month}.',
  '{topic} used to be spread over several documents; this page replaces them.',
  'Start here if you are new to {topic}: most questions are answered in the first two sections.'
]

const sentences = [
  'The plan has {count} steps, and each of them has an owner and a date.',
  '{team} reviews this page every {weekday}, and notes at its end what changed.',
  'Nothing is released before two people have read the change and tried it on a copy of the data.',
  'A request that arrives before noon is usually answered the same day.',
  'The first version was written in {month} and was half as long.',
  'We measured the effect over {count} weeks, and the number of open questions fell by a third.',
  '{team} pays for the first {count} months; after that, costs are shared in proportion to use.',
  'If a step fails, stop there, write down what you saw and tell {team}.',
  'There is a short checklist for people who have done this before, and a longer guide for everybody else.',
  'The old process needed {count} approvals; the new one needs two.',
  'Most delays come from missing details, so please fill in every field of the form.',
  'Access is granted for {count} days at a time and can be renewed.',
  'The numbers below are rounded, and the exact ones are in the report for {month}.',
  'A small group tried this first, and their remarks led to {count} corrections.',
  'Backups are taken every night, and restoring one is practised twice a year.',
  'Please do not send copies of this page by mail: link to it, so that people read the latest version.',
  'The training takes about an hour and ends with {count} questions.',
  'In {month} the page was moved to {host}, and its address has been stable since.',
  'Exceptions are possible, but they are written down together with the reason.',
  '{team} keeps a list of known problems and how to work around them.',
  'It is better to ask early than to repair late.',
  'Customers see the result within {count} minutes.',
  'The terms that this page uses are explained in the glossary.',
  'Every quarter the goals are compared with what was reached, and the next {count} are chosen.',
  'Whoever is on call decides, and explains the decision on the next {weekday}.',
  'Older decisions are kept in the archive and are no longer changed.',
  'One lesson from last year is that fewer rules are followed more often.',
  'The tools are the same for everybody, and {team} pays for the licences.'
]

const closings = [
  'Questions and corrections are welcome: write to {team}.',
  'Last reviewed in {month} by {team}.',
  'The next review of {topic} is planned for {month}.',
  'If something here is out of date, tell {team}, and it will be fixed within {count} days.'
]

const words: Record<string, readonly string[]> = {
  team: ['the platform team', 'the support desk', 'the finance team', 'the design group', 'the people team'],
  month: ['January', 'February', 'March', 'April', 'May', 'June', 'September', 'October', 'November'],
  weekday: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
  count: ['three', 'four', 'five', 'six', 'eight', 'ten', 'twelve', 'fifteen', 'twenty']
}

/** The text of the page at an address (2.13), far below the 15000 characters at which the running service cuts. */
export function pageText(address: URL, seed: string): string {
  const random = randomOf(seed)
  const host = address.hostname
  const topic = topicOf(address)
  const fill = (sentence: string): string => {
    const text = sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
      const list = words[name]
      return list ? pick(list, random) : name === 'topic' ? topic : host
    })
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
  const deck = shuffled(sentences, random)
  const paragraphs = Array.from({ length: 3 + Math.floor(random() * 3) }, () =>
    deck.splice(0, 3 + Math.floor(random() * 3)).map(fill)
  )
  paragraphs[0]?.unshift(fill(pick(openings, random)))
  paragraphs.at(-1)?.push(fill(pick(closings, random)))
  const title = topic === host ? host : `${topic} | ${host}`
  return [title, ...paragraphs.map((paragraph) => paragraph.join(' '))].join('\n\n')
}

/** The number of characters at the end of a path that may become the title. */
const mostRead = 1000
const mostParts = 10

/** The words of the last part of the path that has any: /guides/set-up.html becomes Set Up. */
function topicOf({ hostname, pathname }: URL): string {
  const parts = pathname.slice(-mostRead).split('/').slice(-mostParts)
  for (const part of parts.reverse()) {
    const terms = decoded(part)
      .replace(/\.\w{1,5}$/, '')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '' && word.length <= 24)
      .slice(0, 8)
    if (terms.length > 0) return terms.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
  }
  return hostname
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)
}

function pick<T>(values: readonly T[], random: () => number): T {
  return values[Math.floor(random() * values.length)] as T
}

/** Numbers from 0 to 1 that follow from a text (mulberry32, seeded with the text's FNV-1a hash). */
function randomOf(seed: string): () => number {
  let state = 0x811c9dc5
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}
