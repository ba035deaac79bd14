/**
 * The path and query for the service, always below its base path. Dot segments are resolved (RFC 3986, section 5.2.4),
 * and leading slashes become one, because `//host` names another host. Only the path of an absolute target counts.
 * Undefined if the target has no path, or one with a `\` or `#`: many services read these as `/` and as an end.
 */
export function upstreamTarget(url: string): string | undefined {
  const target = /^https?:\/\//i.test(url) ? url.replace(/^https?:\/\/[^/?]*/i, '') : url
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  if ((path !== '' && !path.startsWith('/')) || /[\\#]/.test(path)) return undefined
  return withoutDots(path.replace(/^\/*/, '/')) + (mark < 0 ? '' : target.slice(mark))
}

const dots = /^(?:\.|%2e){1,2}$/i

function withoutDots(path: string): string {
  if (!/\/(?:\.|%2e)/i.test(path)) return path
  const kept: string[] = []
  const segments = path.slice(1).split('/')
  for (const [index, segment] of segments.entries()) {
    if (!dots.test(segment)) kept.push(segment)
    else {
      if (segment.replaceAll(/%2e/gi, '.') === '..') kept.pop()
      if (index === segments.length - 1) kept.push('')
    }
  }
  return `/${kept.join('/')}`.replace(/^\/+/, '/')
}
