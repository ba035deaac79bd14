/**
 * The places where the description says that it does not show something, each as often as it says so: a
 * section (2.3), a numbered item (5.3), an operation (E9).
 */
export function openPoints(description: string): string[] {
  const places: string[] = []
  let section = ''
  let place = ''
  for (const line of description.split('\n')) {
    const heading = /^## (\d+)\./.exec(line)?.[1]
    const subject = /^### (\d+\.\d+) /.exec(line)?.[1] ?? /^\*\*(E\d+)\. /.exec(line)?.[1]
    const item = /^(\d+)\. /.exec(line)?.[1]
    if (heading) section = heading
    place = heading ?? subject ?? place
    const here = item ? `${section}.${item}` : place
    for (const _ of line.matchAll(/not shown|omitted/g)) places.push(here)
  }
  return places
}
