const { URLSearchParams } = globalThis

export { URLSearchParams }

/** The bundle represents the package: its files are at the root. */
export function fileURLToPath(): string {
  return '/dist/browser.js'
}

export function pathToFileURL(path: string): { href: string } {
  return { href: path }
}

/** A domain in ASCII; empty: it is invalid. */
export function domainToASCII(domain: string): string {
  // A colon or a slash would end the host.
  if (/[\s:/?#@\\]/.test(domain)) return ''
  return URL.canParse(`ws://${domain}`) ? new URL(`ws://${domain}`).hostname : ''
}

const [base, least, most, skew, damp] = [36, 1, 26, 38, 700]

/** A domain as people read it; a label that cannot be decoded stays as it is. */
export function domainToUnicode(domain: string): string {
  const labels = domain.split('.')
  return labels.map((label) => (label.startsWith('xn--') ? (decoded(label.slice(4)) ?? label) : label)).join('.')
}

/** A label in Punycode (RFC 3492, section 6.2). */
function decoded(label: string): string | undefined {
  const mark = label.lastIndexOf('-')
  const points = [...label.slice(0, Math.max(0, mark))].map((it) => it.codePointAt(0) as number)
  let [point, bias, index] = [128, 72, 0]
  for (let at = mark < 0 ? 0 : mark + 1; at < label.length; ) {
    const before = index
    for (let weight = 1, step = base; ; step += base) {
      const digit = Number.parseInt(label[at++] ?? '', 36)
      if (Number.isNaN(digit)) return undefined
      // Letters come before digits there, and after them in base 36.
      const value = digit < 10 ? digit + 26 : digit - 10
      index += value * weight
      const threshold = Math.min(most, Math.max(least, step - bias))
      if (value < threshold) break
      weight *= base - threshold
    }
    const length = points.length + 1
    bias = adapted(index - before, length, before === 0)
    point += Math.floor(index / length)
    index %= length
    if (point > 0x10ffff) return undefined
    points.splice(index++, 0, point)
  }
  return String.fromCodePoint(...points)
}

function adapted(difference: number, length: number, isFirst: boolean): number {
  let delta = Math.floor(difference / (isFirst ? damp : 2))
  delta += Math.floor(delta / length)
  let steps = 0
  for (; delta > ((base - least) * most) / 2; steps += base) delta = Math.floor(delta / (base - least))
  return steps + Math.floor(((base - least + 1) * delta) / (delta + skew))
}
