export function cookiesOf(header: string | undefined): Record<string, string> {
  const pairs = (header ?? '').split(';').flatMap((part): [string, string][] => {
    const mark = part.indexOf('=')
    return mark < 0
      ? []
      : [
          [
            part.slice(0, mark).trim(),
            part
              .slice(mark + 1)
              .trim()
              .replace(/^"(.*)"$/, '$1')
          ]
        ]
  })
  return Object.fromEntries(pairs)
}
