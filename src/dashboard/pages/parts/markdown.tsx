import type { ComponentChildren } from 'preact'

/** The Markdown that descriptions use: paragraphs, headings, lists, code, emphasis and links. Anything else stays text. */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="markdown">
      {text
        .split(/^```.*$/m)
        .map((part, at) =>
          at % 2 === 1 ? (
            <pre key={at}>{part.trim()}</pre>
          ) : (
            part.split('\n\n').map((it, i) => <Block key={i} text={it.trim()} />)
          )
        )}
    </div>
  )
}

function Block({ text }: { text: string }) {
  const [before = '', ...items] = text.split(/^(?:[-*+]|\d+\.) /m)
  if (items.length === 0) {
    if (text === '') return null
    return <p>{/^#+ /.test(text) ? <strong>{text.replace(/^#+ /, '')}</strong> : inline(text)}</p>
  }
  return (
    <>
      <Block text={before.trim()} />
      <ul>
        {items.map((item, at) => (
          <li key={at}>{inline(item.trim())}</li>
        ))}
      </ul>
    </>
  )
}

/** Marked parts, also those without an end, so that no text takes more than linear time. */
const marks = /(`[^`]*`?|\*\*[^*]*(?:\*\*)?|\*[^*]*\*?|\[[^\]]*\]?(?:\([^)]*\)?)?)/

function inline(text: string): ComponentChildren[] {
  return text.split(marks).map((part, at) => {
    const inner = (mark: string) => {
      const isWhole = part.startsWith(mark) && part.endsWith(mark) && part.length > 2 * mark.length
      return isWhole && part[mark.length] !== ' ' ? part.slice(mark.length, -mark.length) : undefined
    }
    if (at % 2 === 0) return part
    if (inner('`')) return <code key={at}>{inner('`')}</code>
    if (inner('**')) return <strong key={at}>{inner('**')}</strong>
    if (inner('*')) return <em key={at}>{inner('*')}</em>
    const [, label, address] = /^\[([^\]]+)\]\((https?:[^)]+)\)$/.exec(part) ?? []
    return address === undefined ? part : <a href={address}>{label}</a>
  })
}
