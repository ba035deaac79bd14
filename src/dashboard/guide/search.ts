/** A part of a page, from one heading to the next. */
export interface Section {
  page: string
  /** `#` and the id of the heading; empty for the start of the page. */
  anchor: string
  title: string
  heading: string
  text: string
}

/** The ten sections that fit best. They have all words, or words that begin so. */
export function find(sections: readonly Section[], query: string): (Section & { snippet: string })[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ section }) => ({ ...section, snippet: snippetOf(section.text, words) }))
}

function scoreOf({ title, heading, text }: Section, words: readonly string[]): number {
  const scores = words.map((word) => {
    const points = [[heading, 8] as const, [title, 5] as const, [text, 1] as const]
    return points.reduce((sum, [part, score]) => sum + (placeOf(word, part) < 0 ? 0 : score), 0)
  })
  return scores.includes(0) ? 0 : scores.reduce((a, b) => a + b)
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
