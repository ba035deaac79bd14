import { isIP } from 'node:net'
import type { Faker } from '@faker-js/faker'
import type { Contract } from '../../engine/contract/contract.js'
import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import type { CollectionRow } from '../../engine/contract/model.js'
import { inMap, once } from '../../engine/contract/once.js'
import { memberField, pathField } from '../../engine/contract/reader/document.js'
import { createFaker } from '../../engine/contract/samples/faker.js'
import { together } from '../../engine/contract/schemas/schemas.js'
import { hash } from '../../engine/sandbox/ids.js'
import type { Book } from './book.js'
import { partsIn, textsIn } from './traffic.js'

/** Rows without anything private. */
export interface PrivateOptions {
  contract: Contract
  /** Texts follow from it: the same text has the same replacement in each run with the same seed. */
  seed: number
  /** Fields that stay as they are: `field` or `collection.field`. */
  keep: readonly string[]
}

/** Texts of this length may be in the result by chance. */
const longestByChance = 4
const identifier = /^[\w.:-]{1,128}$/
/** The name of a field with an id. Ids of others are in objects that no schema describes. */
const idName = /^(id|uuid)$|_ids?$|[a-z]Ids?$/
const secretName = /passw|secret|token|credential|api_?key|private_?key/i
/** Names of fields with the number of a person, a day of birth, a place or what somebody earns, in snake case. */
const numberName =
  /(^|_)(ssn|nino|bsn|cpf|cnp|pesel|dni|nif|nie|nric|aadhaar|passport|social_security|(national|person(al)?|identity|identification|citizen|tax|fiscal|passport|licen[cs]e|insurance|social_security)_?(id|no|nr|number|code))$/
const birthName = /(^|_)(dob|born|birth_?da(y|te)|date_?of_?birth|born_(on|at))$/
const placeName = /(^|_)(lat|lng|lon|latitude|longitude|coordinates?)$/
const payName =
  /(^|_)(salary|wages?|income|pay_rate|compensation|remuneration)(_(amount|min|max|from|to|gross|net|monthly|yearly))?$/
const personName = /^(full|first|last|given|family|user)_?name$|^(author|owner|assignee|person|nickname)$/i
const freeFormats = new Set(['undefined', 'email', 'uri', 'url', 'uri-reference', 'iri', 'ipv4', 'ipv6'])
const fixedFormats = new Set(['uuid', 'date-time', 'date', 'time', 'duration'])
/** Patterns of enumerations that begin with the same word. */
const wordPattern = /^\^[a-z]{3,}/
/** Names that stay in objects which no schema describes: usual names of fields, statuses, types and paths. Others may be private. */
const fieldName = /^([a-z]+(_[a-z]+)*|[a-z]+([A-Z][a-z]+)*|[1-5]\d\d|[a-z]+\/[a-z.+-]+|(\/(\{[a-z_]+\}|[a-z]+))+)$/
/** Days and times, which stay in objects that no schema describes. */
const moment = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/
/** First names that are words of the names of fields more often. */
const usualWords = new Set(
  'name max mark trace unique major meta arch general else chance mac grant price art grace will bill may june april august'.split(
    ' '
  )
)
/** The small letters of scripts other than Latin: the first, and how many follow it. */
const scripts: [RegExp, number, number][] = [
  [/\p{Script=Cyrillic}/u, 0x430, 32],
  [/\p{Script=Greek}/u, 0x3b1, 17],
  [/\p{Script=Arabic}/u, 0x628, 19],
  [/\p{Script=Hebrew}/u, 0x5d0, 27],
  [/\p{Script=Hiragana}|\p{Script=Katakana}/u, 0x304b, 40],
  [/\p{Script=Hangul}/u, 0xac00, 500],
  [/\p{Script=Han}/u, 0x4e00, 800],
  [/\p{Script=Thai}/u, 0xe01, 40],
  [/\p{Script=Devanagari}/u, 0x915, 36]
]

/** The texts of traffic. They are found by their first characters, because there may be many thousands. */
export class Originals {
  private readonly byStart = new Map<string, Set<string>>()
  readonly people = new Set<string>()

  add(text: string, field = ''): void {
    if (personName.test(field)) this.people.add(text)
    if (text.length <= longestByChance) return
    const start = text.slice(0, longestByChance + 1)
    inMap(this.byStart, start, () => new Set()).add(text)
  }

  addAll(value: unknown): void {
    for (const [text, field] of textsIn(value)) this.add(text, field)
  }

  /** The first of them in a text. */
  in(text: string): string | undefined {
    for (let at = 0; at < text.length - longestByChance; at++)
      for (const it of this.byStart.get(text.slice(at, at + longestByChance + 1)) ?? [])
        if (text.startsWith(it, at)) return it
    return undefined
  }
}

/** It takes long to make, and is seeded for each text. */
const faker = once(() => createFaker('2026-01-01T00:00:00Z'))

const firstNames = once(
  () => new Set(Object.values(faker().rawDefinitions.person?.first_name ?? {}).flatMap((it) => wordsIn(it.join(' '))))
)
/** The words of a text or of the name of a field, in small letters. */
const wordsIn = (text: string) =>
  text.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).flatMap((it) => (it === '' ? [] : it.toLowerCase()))

/** Replaces what is private in rows. */
export class Privacy {
  /** The texts that are in the result on purpose: ids, enumerations and times, and what the user keeps. */
  private readonly openTexts = new Set<string>()
  private readonly replacements = new Map<string, string>()
  private readonly ownTexts = new Set<string>()
  private readonly faker = faker()
  private readonly schemaParts = new WeakMap<Json[], ReturnType<typeof together>>()
  /** The schemas of rows, by collection: lists that stay the same. */
  private readonly rowSchemas: Map<string, Json[]>
  private isCompleted = false
  /** What replaces the keys of rows. */
  private readonly keys = new Map<string, Json>()
  /** The people of the traffic, as words. */
  private readonly people = once(() => new Set([...this.originals.people].map((it) => wordsIn(it).join(' '))))

  constructor(
    private readonly options: PrivateOptions,
    private readonly originals: Originals,
    private readonly secrets: Originals
  ) {
    const wrong = options.keep.find((it) => secretName.test(it.split('.').at(-1) as string))
    if (wrong !== undefined) throw new Error(`keep (--keep) names ${wrong}: secrets are never kept.`)
    this.rowSchemas = new Map([...options.contract.collections].map(([name, { row }]) => [name, [row]]))
    const fields = [...this.rowSchemas].flatMap(([name, schemas]) =>
      [...this.together(schemas).fields.keys()].flatMap((field) => [field, `${name}.${field}`])
    )
    const unused = options.keep.find((it) => !fields.includes(it))
    if (unused !== undefined) throw new Error(`keep (--keep) names ${unused}: no row has such a field.`)
  }

  /**
   * What is known of a row, without anything private. Of a row that factories have completed only those texts are replaced that
   * are original ones by chance.
   */
  row(about: CollectionRow, row: JsonObject, isCompleted = false): JsonObject {
    this.isCompleted = isCompleted
    return Object.fromEntries(Object.entries(row).map(([field, it]) => [field, this.field(about, row, field, it)]))
  }

  /** Remembers what replaces the keys of rows, for the fields that name these rows. */
  learnKeys({ rows }: Book): void {
    for (const about of this.options.contract.collections.values()) {
      const { name, key = 'id' } = about
      if (key === 'id' || key === memberField) continue
      for (const { fields } of rows.get(name)?.values() ?? []) {
        const text = fields[key]
        if (typeof text === 'string') this.keys.set(text, this.field(about, fields, key, text))
      }
    }
  }

  private field(
    { name, key, parent, references, links = {} }: CollectionRow,
    row: JsonObject,
    field: string,
    value: Json
  ): Json {
    const { collection, token } = this.options.contract.api.users
    if (name === collection && field === token) return this.stays(String(value))
    const { fields } = this.together(this.rowSchemas.get(name) ?? unknown)
    const names = [key, parent?.field, parent?.key, pathField].includes(field)
    const isKey = names && typeof value === 'string' && isCode(value, { ...row, [field]: null, id: null })
    const isId = isKey || Object.hasOwn(references, field) || Object.hasOwn(links, field)
    const isKept = this.options.keep.some((it) => it === field || it === `${name}.${field}`)
    return this.value(value, fields.get(field) ?? unknown, isId ? 'id' : field, isKept)
  }

  private together(schemas: Json[]): ReturnType<typeof together> {
    return inMap(this.schemaParts, schemas, () => together(this.options.contract.documents, schemas))
  }

  private find(text: string): string | undefined {
    return this.originals.in(text) ?? this.secrets.in(text)
  }

  private stays(text: string): string {
    this.openTexts.add(text)
    return text
  }

  /** A value without its texts, or if it is kept without its secrets. Without schemas nothing is known of it. */
  private value(value: Json, schemas: Json[], field: string, isKept = false, isHidden = false): Json {
    const { parts, fields, items } = this.together(schemas)
    const isDescribed = parts.length > 0
    const isNamed = secretName.test(field) && (typeof value === 'string' || (isObject(value) && !isDescribed))
    const isId = isDescribed && idName.test(field) && typeof value === 'string' && isIdentifier(value, field)
    const isSecret = isHidden || isSecretBy(parts) || (isNamed && !isId)
    if (Array.isArray(value)) return value.map((it) => this.value(it, items, field, isKept, isSecret))
    if (isObject(value)) {
      const entries = new Map<string, Json>()
      for (const [name, it] of Object.entries(value)) {
        let free = isKept || fields.has(name) || this.isFieldName(name) ? name : this.text(name)
        while (entries.has(free)) free += '-'
        entries.set(free, this.value(it, fields.get(name) ?? unknown, name, isKept, isSecret))
      }
      return Object.fromEntries(entries)
    }
    if (typeof value === 'number' && isSecret) return hash(`${this.options.seed}`) % 10_000
    const isOpen = isKept || isSecret || parts.some((it) => it.enum !== undefined || it.const !== undefined)
    if (!isOpen && isOfPerson(field) && (typeof value === 'number' || typeof value === 'string'))
      return this.replacedNumber(value, field)
    if (typeof value === 'number' && !isDescribed && !isKept && mayIdentify(value)) return this.otherNumber(value)
    if (typeof value !== 'string') return value
    if (isSecret || (isKept && this.secrets.in(value) !== undefined)) return this.secret(value)
    const newKey = isKept || this.isCompleted ? undefined : this.keys.get(value)
    if (newKey !== undefined) return newKey
    if (isKept || isId || isFixed(parts, value) || (!isDescribed && moment.test(value))) return this.stays(value)
    const isFormed = parts.some((it) => it.pattern !== undefined || !freeFormats.has(String(it.format)))
    const text = isFormed ? this.sameForm(value) : this.text(value)
    const most = Math.min(...parts.map((it) => (typeof it.maxLength === 'number' ? it.maxLength : Infinity)))
    if (text.length <= most) return text
    this.ownTexts.add(text.slice(0, most))
    return text.slice(0, most)
  }

  /** Whether the name of a field in an object that no schema describes stays: it names no person, and no host. */
  private isFieldName(name: string): boolean {
    if (moment.test(name)) return this.stays(name) !== ''
    const words = wordsIn(name)
    const isPerson = words.some((it) => firstNames().has(it) && !usualWords.has(it))
    return fieldName.test(name) && !isPerson && !this.people().has(words.join(' '))
  }

  private secret(original: string): string {
    return this.replacementOf(original, `secret ${original}`, () => this.faker.string.alphanumeric(24))
  }

  private text(original: string): string {
    // The case of an address does not tell people apart.
    const place = isAddress(original) ? original.toLowerCase() : original
    const isPerson = this.originals.people.has(original)
    return this.replacementOf(original, place, (isLast) =>
      isLast ? this.faker.string.alpha(Math.max(original.length, 12)) : replacement(this.faker, original, isPerson)
    )
  }

  /** Other letters and digits, in the same places. */
  private sameForm(original: string): string {
    const draw = (from: string) => this.faker.helpers.arrayElement([...from])
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    return this.replacementOf(original, `form ${original}`, () =>
      original.replace(/[A-Za-z\d]/g, (it) =>
        /\d/.test(it) ? draw('0123456789') : /[a-z]/.test(it) ? draw(letters) : draw(letters).toUpperCase()
      )
    )
  }

  /** Another day of birth, number, place or pay of the same form. */
  private replacedNumber(value: string | number, field: string): string | number {
    const original = `${value}`
    const [day, rest = ''] = (birthName.test(inSnakeCase(field)) && /^\d{4}-\d\d-\d\d(.*)$/s.exec(original)) || []
    if (day !== undefined)
      return this.replacementOf(original, `day ${original}`, () => {
        const drawn = this.faker.date.between({ from: '1940-01-01', to: '2001-01-01' })
        return drawn.toISOString().slice(0, 10) + rest
      })
    if (typeof value === 'string') return this.sameForm(original)
    const number = this.otherNumber(value)
    const isPlace = placeName.test(inSnakeCase(field))
    return isPlace ? Number((number % mostDegrees).toFixed(original.split('.')[1]?.length)) : number
  }

  /** Another number of as many digits. */
  private otherNumber(number: number): number {
    return Number(this.sameForm(`${number}`).replace(/^(-?)0(?=\d)/, '$11')) || 0
  }

  /** What replaces a text, from now on. It has no original text in it. */
  private replacementOf(original: string, place: string, make: (isLast: boolean) => string): string {
    const isFine = this.ownTexts.has(original) || (this.isCompleted && this.find(original) === undefined)
    if (isFine || original.trim() === '') return original
    const text = inMap(this.replacements, place, () => {
      for (let tried = 0; ; tried++) {
        this.faker.seed(hash(`${this.options.seed} ${tried} ${place}`))
        const candidate = make(tried > 20)
        if (candidate !== place && this.find(candidate) === undefined) return candidate
      }
    })
    this.ownTexts.add(text)
    return text
  }

  /** An original text in what was written, apart from what stays, and the field that has it. Undefined: there is none. */
  leak(output: Json): { text: string; field: string } | undefined {
    const names = [...partsIn(output)].flatMap(({ field }): [string, string][] =>
      fieldName.test(field) ? [] : [[field, '']]
    )
    for (const [it, field] of [...textsIn(output), ...names]) {
      const text = this.openTexts.has(it) ? undefined : this.find(it)
      if (text !== undefined) return { text, field }
    }
    return undefined
  }
}

/** Whether a key is not a name of a person, and not made from other texts of its row. */
function isCode(key: string, others: JsonObject): boolean {
  const all = texts(others).join('\n').toLowerCase()
  const words = key.toLowerCase().match(/[a-z]{4,}/g) ?? []
  return /\d/.test(key) && !words.some((it) => all.includes(it))
}

/** Whether a text is an id that stays. Those of three words or of a file stay only as keys of rows and references, called `id` here. */
function isIdentifier(text: string, field: string): boolean {
  const words = text.match(/[A-Za-z]{4,}/g) ?? []
  const isUuid = /^[\da-f-]{32,36}$/i.test(text)
  return identifier.test(text) && (field === 'id' || isUuid || (words.length < 3 && !/\.[a-z]{2,4}$/i.test(text)))
}

/** Whether a number that no schema describes may be that of a telephone, a person or a place, and is no time. */
function mayIdentify(number: number): boolean {
  const digits = `${number}`.replace(/\D/g, '')
  const isTime = /^1\d{9}(\d{3})?$/.test(`${number}`)
  return digits.length > longestByChance && !isTime && !/e/.test(`${number}`)
}

/** Latitudes end soon after. */
const mostDegrees = 85

const inSnakeCase = (field: string) => field.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()

function isOfPerson(field: string): boolean {
  const name = inSnakeCase(field)
  return [numberName, birthName, placeName, payName].some((it) => it.test(name))
}

const unknown: Json[] = []
const isSecretBy = (parts: JsonObject[]) => parts.some((it) => it['x-secret'] === true || it.format === 'password')
const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text)
const texts = (value: unknown) => [...textsIn(value)].map(([text]) => text)

/** Whether a text is a time, or one of few that the contract names. */
function isFixed(parts: JsonObject[], text: string): boolean {
  return parts.some(
    (it) =>
      it.const === text ||
      (Array.isArray(it.enum) && it.enum.includes(text)) ||
      wordPattern.test(String(it.pattern)) ||
      (fixedFormats.has(String(it.format)) && /^[\w:.+-]{8,48}$/.test(text))
  )
}

function replacement(faker: Faker, original: string, isPerson: boolean): string {
  const word = () => faker.lorem.word()
  const mark = faker.string.alphanumeric({ length: 4, casing: 'lower' })
  if (isIP(original)) return isIP(original) === 4 ? faker.internet.ipv4() : faker.internet.ipv6()
  if (isAddress(original)) {
    const name = `${faker.person.firstName()}.${faker.person.lastName()}`.replace(/[^\w.]/g, '')
    return `${name}.${mark}@${word()}.example`.toLowerCase()
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(original)) return `https://${word()}-${mark}.example/${word()}`
  if (/^[a-z]+\/[\w.+-]+$/.test(original)) return faker.system.mimeType()
  if (isPerson && /\s/.test(original)) return faker.person.fullName()
  if (isPerson) return `${faker.person.firstName()}${mark}`
  const [, extension = ''] = /^[^\n]{1,200}[^\s.](\.[A-Za-z]\w{0,4})$/.exec(original) ?? []
  const name = original.slice(0, original.length - extension.length)
  const lines = name.split('\n').map((line) => lineLike(faker, line))
  // Names without spaces may have to differ.
  const [line = ''] = lines
  const isWord = lines.length === 1 && /^[\w.-]{10,}$/.test(line)
  return (isWord ? `${line.slice(0, -5)}-${mark}` : lines.join('\n')) + extension.toLowerCase()
}

/** Longer texts repeat so many words. */
const mostWords = 300

/** A line of about the same length, in the same script. */
function lineLike(faker: Faker, line: string): string {
  const letters = line.slice(0, 2000).match(/\p{L}/gu) ?? []
  const inDigits = (text: string) => text.replace(/\d/g, () => String(faker.number.int(9)))
  if (letters.length === 0) return inDigits(line)
  const [, first, count] =
    scripts.find(([it]) => letters.filter((letter) => it.test(letter)).length * 2 > letters.length) ?? []
  if (first !== undefined && count !== undefined) {
    const letter = (like: string) => {
      const char = String.fromCodePoint(first + faker.number.int(count - 1))
      return /\p{Lu}/u.test(like) ? char.toUpperCase() : char
    }
    return inDigits(line.replace(/\p{L}/gu, letter))
  }
  const words = faker.lorem.words(Math.min(Math.ceil(line.length / 4), mostWords))
  const joint = /\s/.test(line.trim()) ? ' ' : (/[-_./]/.exec(line)?.[0] ?? '-')
  const cut = words.padEnd(line.length, ` ${words}`).slice(0, line.length).trimEnd().replaceAll(' ', joint)
  const begun = /^\p{Lu}/u.test(line) ? cut.charAt(0).toUpperCase() + cut.slice(1) : cut
  return /[.?!]$/.test(line) && begun.length > 2 ? begun.slice(0, -1) + line.at(-1) : begun
}
