/** A text without these characters at its end. A regular expression for that takes quadratic time. */
export function withoutEnd(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && marks.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
