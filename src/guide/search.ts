/** A part of a page, from one heading to the next. */
export interface Section {
  page: string
  /** `#` and the id of the heading; empty for the start of the page. */
  anchor: string
  title: string
  heading: string
  text: string
}

/** Words of questions that every page has. */
const common = new Set(
  'a an and are as at be by can do does for from get how i if in is it its me my of on or that the there this to use was what when where which who why will with you your'.split(
    ' '
  )
)

/** The ten sections that fit best: with most of the words, or words that begin so. A word that few sections have counts more. */
export function find(sections: readonly Section[], query: string): (Section & { snippet: string })[] {
  const terms = query.toLowerCase().match(/[\p{L}\p{N}][^\s?!,]*/gu) ?? []
  const rare = terms.filter((word) => !common.has(word))
  // A plural also finds the singular.
  const words = (rare.length > 0 ? rare : terms).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
  const scores = words.map((word) => weighed(sections.map((section) => scoreOf(section, word))))
  return sections
    .map((section, at) => ({ section, score: scores.reduce((sum, its) => sum + (its[at] as number), 0) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ section }) => ({ ...section, snippet: snippetOf(section.text, words) }))
}

function weighed(scores: readonly number[]): number[] {
  const weight = Math.log(1 + scores.length / scores.filter(Boolean).length)
  return scores.map((score) => (score > 0 ? score * weight : 0))
}

function scoreOf({ title, heading, text }: Section, word: string): number {
  const points = [[heading, 3] as const, [title, 2] as const, [text, 2] as const]
  return points.reduce((sum, [part, score]) => sum + (placeOf(word, part) < 0 ? 0 : score), 0)
}

/** Where a text has a word that begins so; -1: nowhere. */
function placeOf(start: string, text: string): number {
  const lower = text.toLowerCase()
  let at = lower.indexOf(start)
  while (at > 0 && /[a-z0-9]/.test(lower[at - 1] as string)) at = lower.indexOf(start, at + 1)
  return at
}

function snippetOf(text: string, words: readonly string[]): string {
  const at = Math.max(0, ...words.map((word) => placeOf(word, text)))
  const from = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - 40)))
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 120).trim()}${from + 120 < text.length ? '…' : ''}`
}
