/** Whether a value has a text, in lower case, in it. The names of fields do not count. */
export function holds(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, text))
  if (typeof value === 'object' && value !== null) return Object.values(value).some((field) => holds(field, text))
  return value !== undefined && String(value).toLowerCase().includes(text)
}
