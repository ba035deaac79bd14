import { useState } from 'preact/hooks'

/** A text of any language on one line. Long texts are cut. */
export function Short({ text, most = 80 }: { text: string; most?: number }) {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text
  return <bdi title={text.length > most ? text.slice(0, 1000) : undefined}>{shown}</bdi>
}

const most = 2000

/** A whole text. A very long one is shown in two steps. */
export function Long({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > most && !isWhole
  return (
    <>
      <bdi class="text">{isCut ? text.slice(0, most) : text}</bdi>
      {isCut && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          … show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  )
}

/** A count with its noun. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`
}
