import { z } from 'zod'
import type { Service } from './state.js'

const anyUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const startOfUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
const knownUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export const thirdParties = ['slack', 'gmail', 'confluence', 'jira', 'github', 'google_drive', 'notion', 'zendesk']
const ownSources = ['ingestion_api', 'web', 'file', 'not_applicable', 'mock_connector', 'user_file', 'imap']

const sources = [...ownSources, ...thirdParties]

function integerOf(service: Service): z.ZodType<number> {
  const strict = z.int()
  if (service.chose('lax-numbers')) {
    return z.preprocess((it) => (typeof it === 'string' && /^-?\d+$/.test(it) ? Number(it) : it), strict)
  }
  return service.chose('lax-booleans')
    ? z.preprocess((it) => (typeof it === 'boolean' ? Number(it) : it), strict)
    : strict
}

const words = new Map<unknown, boolean>([
  ...['true', 'yes', 'on', '1', 1].map((it) => [it, true] as const),
  ...['false', 'no', 'off', '0', 0].map((it) => [it, false] as const)
])

function flagOf(service: Service): z.ZodType<boolean> {
  const strict = z.boolean()
  return service.chose('lax-booleans') ? z.preprocess((it) => words.get(it) ?? it, strict) : strict
}

function textOf(service: Service): z.ZodType<string> {
  let text = z.string()
  if (service.chose('texts-of-100')) text = text.max(100)
  if (service.chose('texts-of-255')) text = text.max(255)
  if (service.chose('texts-of-2000')) text = text.max(2000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
  if (service.chose('no-nul')) text = text.regex(/^[^\u0000]*$/, 'no NUL')
  return service.chose('lax-texts') ? z.preprocess((it) => (typeof it === 'number' ? String(it) : it), text) : text
}

function momentOf(service: Service, time: z.ZodType<string>): z.ZodType<string> {
  const days = z.string().regex(/^\d{4}-\d\d-(3[01]|[0-2]\d)T\d\d:\d\d/)
  if (service.has('loose days')) return z.union([time, days])
  return service.has('loose dates') ? z.union([time, z.string().regex(/ GMT$/)]) : time
}

/** An integer as a path has it. */
function pathIntegerOf(service: Service): z.ZodType<number> {
  const digits = service.chose('ids-of-nine-digits') ? /^\d{1,9}$/ : /^-?\d+$/
  const integer = z
    .string()
    .regex(service.has('loose integers') ? /^(-?\d+|0x[0-9a-f]+)$/ : digits, 'not a whole number')
    .transform(Number)
    .refine(Number.isSafeInteger, 'too large')
  return service.chose('positive-ids') ? integer.refine((id) => id > 0, 'ids begin at 1') : integer
}

/** The types of fields, as this service reads them. */
export function kindsOf(service: Service) {
  const integer = integerOf(service)
  const text = textOf(service)
  const offset = !service.chose('no-local-times')
  const time = momentOf(service, z.iso.datetime({ offset: true, local: offset }))
  return {
    integer,
    text,
    flag: flagOf(service),
    uuid: z
      .string()
      .regex(
        service.has('loose uuids') ? startOfUuid : service.chose('uuids-of-version-4') ? knownUuid : anyUuid,
        'not a uuid'
      )
      .transform((it) => it.toLowerCase()),
    integers: z.array(integer),
    texts: z.array(text),
    object: z.record(z.string(), z.unknown()),
    moment: service.chose('dates-are-times')
      ? z.union([z.iso.date().transform((it) => `${it}T00:00:00Z`), time])
      : time,
    pathInteger: pathIntegerOf(service),
    source: service.has('loose sources')
      ? z.string().refine((it) => it in Object.fromEntries(sources.map((name) => [name, true])))
      : z.enum(sources)
  }
}

export type Kinds = ReturnType<typeof kindsOf>
