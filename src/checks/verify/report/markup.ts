/** A text with HTML's special characters escaped. */
export function text(value: string): string {
  return (
    value
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what cannot be shown is replaced
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff]/gu, '\ufffd')
  )
}

export function section(id: string, title: string, body: string): string {
  return `<section id="${id}" class="${id}"><h2>${title}</h2>${body}</section>`
}

/** Cells are HTML. The first cell of a row is its header. */
export function table(caption: string, heads: string[], rows: string[][]): string {
  const head = heads.map((it) => `<th scope="col">${it}</th>`).join('')
  const body = rows.map(([first, ...rest]) => {
    const cells = rest.map((it, index) => `<td data-head="${heads[index + 1]}">${it}</td>`)
    return `<tr><th scope="row">${first}</th>${cells.join('')}</tr>`
  })
  return `<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`
}
