/** Paths of the files in the bundle: the root is the package. */
export function join(...parts: string[]): string {
  return resolve(...parts.map((part, at) => (at === 0 ? part : part.replace(/^\/+/, ''))))
}

export function resolve(...parts: string[]): string {
  const steps: string[] = []
  for (const part of parts) {
    if (part.startsWith('/')) steps.length = 0
    for (const step of part.split('/')) {
      if (step === '..') steps.pop()
      else if (step !== '' && step !== '.') steps.push(step)
    }
  }
  return `/${steps.join('/')}`
}

export function relative(_from: string, to: string): string {
  return resolve(to).slice(1)
}

export function dirname(path: string): string {
  return resolve(path, '..')
}

export function basename(path: string, end = ''): string {
  const name = path.split('/').at(-1) as string
  return end !== '' && name.endsWith(end) ? name.slice(0, -end.length) : name
}

export function extname(path: string): string {
  const name = basename(path)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot) : ''
}
export const sep = '/'
