import { domainToASCII, domainToUnicode } from 'node:url'

/** Why an address is wrong, worded as Python's email-validator does. */
export interface BadAddress {
  reason: string
}

interface Domain {
  /** The ASCII form. Empty if there is none. */
  ascii: string
  /** The Unicode form, in lower case. */
  unicode: string
}

const addressLimit = 254
const domainLimit = 253
const labelLimit = 63

/** Domains without mail (RFC 6761, 6762, 7686). */
const reservedDomain = /(^|\.)(arpa|invalid|local|localhost|onion|test)$/

/** The address with its domain in lower case, or why it is wrong (E27). Only the syntax is checked. */
export function readAddress(text: string): string | BadAddress {
  const at = text.indexOf('@')
  // Long texts are rejected first: normalizing combining characters takes quadratic time.
  const reason = wrongForm(text, at) ?? wrongLength(text)
  if (reason) return { reason }
  const local = text.slice(0, at).normalize('NFC')
  const domain = text.slice(at + 1)
  const unreadable = wrongLocal(local) ?? wrongDomain(domain)
  if (unreadable) return { reason: unreadable }
  const { ascii, unicode } = readDomain(domain)
  const address = `${local}@${unicode}`
  const wrong =
    (ascii === '' ? 'The part after the @-sign is not valid IDNA.' : undefined) ??
    wrongSeparators(unicode) ??
    wrongHost(ascii) ??
    wrongLength(address, 'byte', ' after normalization')
  return wrong ? { reason: wrong } : address
}

function wrongLength(address: string, unit = 'character', when = ''): string | undefined {
  const excess = Buffer.byteLength(address) - addressLimit
  return excess > 0 ? `The email address is too long${when} ${tooMany(excess, unit)}.` : undefined
}

/** Why a text does not have the form local@domain. */
function wrongForm(text: string, at: number): string | undefined {
  if (at < 0) return 'An email address must have an @-sign.'
  if (text.startsWith('"')) return 'Quoting the part before the @-sign is not allowed here.'
  if (text.slice(0, at).includes('<')) {
    return 'A display name and angle brackets around the email address are not permitted here.'
  }
  return undefined
}

function wrongLocal(local: string): string | undefined {
  if (local === '') return 'There must be something before the @-sign.'
  const characters = namesIn(local, /[^\w.!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]/gu)
  if (characters) return `The email address contains invalid characters before the @-sign: ${characters}.`
  if (local.endsWith('.')) return 'An email address cannot have a period immediately before the @-sign.'
  if (local.startsWith('.')) return 'An email address cannot start with a period.'
  if (local.includes('..')) return 'An email address cannot have two periods in a row.'
  return unsafe(local)
}

/** Why a domain is wrong, before its conversion to ASCII. */
function wrongDomain(text: string): string | undefined {
  if (text === '') return 'There must be something after the @-sign.'
  if (/^\[.*\]$/.test(text)) return 'A bracketed IP address after the @-sign is not allowed here.'
  const characters = namesIn(text, /[^a-zA-Z0-9.\-\u0080-\u{10ffff}]/gu)
  if (characters) return `The part after the @-sign contains invalid characters: ${characters}.`
  return unsafe(text)
}

function wrongSeparators(domain: string): string | undefined {
  if (domain.endsWith('.')) return 'An email address cannot end with a period.'
  if (domain.startsWith('.')) return 'An email address cannot have a period immediately after the @-sign.'
  if (domain.includes('..')) return 'An email address cannot have two periods in a row.'
  if (domain.endsWith('-')) return 'An email address cannot end with a hyphen.'
  if (domain.startsWith('-')) return 'An email address cannot have a hyphen immediately after the @-sign.'
  if (/\.-|-\./.test(domain)) return 'An email address cannot have a period and a hyphen next to each other.'
  if (/(^|\.)(?!xn)[^.]{2}--/.test(domain)) {
    return 'An email address cannot have two letters followed by two dashes immediately after the @-sign or after a period, except Punycode.'
  }
  return undefined
}

function wrongHost(ascii: string): string | undefined {
  if (ascii.length > domainLimit) {
    const excess = tooMany(ascii.length - domainLimit, 'byte', ' after IDNA encoding')
    return `The email address is too long after the @-sign ${excess}.`
  }
  const longest = Math.max(...ascii.split('.').map((label) => label.length))
  if (longest > labelLimit) {
    return `After the @-sign, periods cannot be separated by so many characters ${tooMany(longest - labelLimit, 'character')}.`
  }
  if (!ascii.includes('.')) return 'The part after the @-sign is not valid. It should have a period.'
  if (!/[a-z]$/.test(ascii)) {
    return 'The part after the @-sign is not valid. It is not within a valid top-level domain.'
  }
  if (reservedDomain.test(ascii)) {
    return 'The part after the @-sign is a special-use or reserved name that cannot be used with email.'
  }
  return undefined
}

function readDomain(domain: string): Domain {
  const lower = domain.toLowerCase()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(lower) && !lower.includes('xn--')) return { ascii: lower, unicode: lower }
  const ascii = domainToASCII(domain)
  return { ascii, unicode: domainToUnicode(ascii) }
}

/** Why a part has invisible characters, or combining characters without a base. */
function unsafe(part: string): string | undefined {
  const characters = namesIn(part, /[\p{Z}\p{C}]|^\p{M}/gu)
  return characters && `The email address contains unsafe characters: ${characters}.`
}

/** The distinct matches, as messages list them. */
function namesIn(text: string, pattern: RegExp): string | undefined {
  const matches = new Set(text.match(pattern))
  return matches.size > 0 ? [...matches].map(nameOf).sort().join(', ') : undefined
}

function nameOf(character: string): string {
  if (character === ' ') return 'SPACE'
  if (character === "'" || character === '\\') return `"${character}"`
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `'${character}'`
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}

function tooMany(excess: number, unit: string, when = ''): string {
  return `(${excess} ${unit}${excess === 1 ? '' : 's'} too many${when})`
}
