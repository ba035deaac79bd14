import type { CredentialJson } from '../../contract/types.gen.js'
import type { Context } from '../rule.js'

const unmasked = new Set(['authentication_method', 'wiki_base', 'cloud_name', 'cloud_id'])
const shortest = 14
const ends = 4
const bullets = '•'.repeat(12)

/** The values of a credential as replies show them (2.4). */
export function shownSecrets(context: Context, json: CredentialJson): CredentialJson {
  return context.assume('credential.masking') === 'masked' ? maskObject(json) : json
}

function maskObject(json: object): CredentialJson {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, unmasked.has(key) ? value : mask(value)]))
}

function mask(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value === 'number') return '*****'
  if (Array.isArray(value)) return value.map(mask)
  return typeof value === 'object' && value !== null ? maskObject(value) : value
}

/**
 * Counts characters, because one may take two UTF-16 units. It reads only the ends, since a text may have many
 * megabytes.
 */
function maskText(text: string): string {
  if ([...text.slice(0, 2 * shortest)].length < shortest) return bullets
  const first = [...text.slice(0, 2 * ends)].slice(0, ends).join('')
  const last = [...text.slice(-2 * ends)].slice(-ends).join('')
  return `${first}...${last}`
}
