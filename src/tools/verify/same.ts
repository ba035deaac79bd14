import { isObject } from '../../engine/contract/load.js'

/** Whether a value contains what was sent. Its objects may have more fields. */
export function shows(value: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) {
    return Array.isArray(value) && value.length === sent.length && sent.every((item, at) => shows(value[at], item))
  }
  if (!isObject(sent)) return value === sent
  return isObject(value) && Object.entries(sent).every(([name, item]) => shows(value[name], item))
}
