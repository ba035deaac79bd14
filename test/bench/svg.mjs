/** An SVG that is readable on a light and on a dark page, alone or in an <img>. */
export function svg({ width, height, title, description }, content) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>
  svg { --ground: #ffffff; --ink: #1f2328; --quiet: #59636e; --rule: #d1d9e0; --peer: #afb8c1; --limit: #818b98; --own: #0969da; --warn: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #0d1117; --ink: #f0f6fc; --quiet: #9198a1; --rule: #3d444d; --peer: #59636e; --limit: #9198a1; --own: #4493f8; --warn: #db6d28 }
  }
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--ink) }
  .head { font-size: 16px; font-weight: 600 }
  .panel { font-weight: 600 }
  .quiet { fill: var(--quiet) }
  .own { fill: var(--own); font-weight: 600 }
  .warn { fill: var(--warn) }
</style>
<rect width="${width}" height="${height}" fill="var(--ground)"/>
${content.flat(Infinity).join('\n')}
</svg>
`
}

export function text(x, y, content, { kind = '', anchor = 'start' } = {}) {
  return `<text x="${round(x)}" y="${round(y)}"${kind && ` class="${kind}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${escaped(content)}</text>`
}

export function bar(x, y, width, height, colour) {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(width, 1))}" height="${height}" rx="2" fill="var(--${colour})"/>`
}

export function line(points, colour, width = 1) {
  const list = points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')
  return `<polyline points="${list}" fill="none" stroke="var(--${colour})" stroke-width="${width}"/>`
}

function round(value) {
  return Math.round(value * 10) / 10
}

function escaped(content) {
  return String(content).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
