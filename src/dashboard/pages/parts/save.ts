/** Downloads a text as a file. */
export function save(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export function saveJson(name: string, value: unknown): void {
  save(name, JSON.stringify(value, undefined, 2), 'application/json')
}
