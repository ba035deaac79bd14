import { z } from 'zod'
import type { Service } from './state.js'

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const thirdParties = ['slack', 'gmail', 'confluence', 'jira', 'github', 'google_drive', 'notion', 'zendesk']
const ownSources = ['ingestion_api', 'web', 'file', 'not_applicable', 'mock_connector', 'user_file', 'imap']

/** The types of fields, as this service reads them. */
export function kindsOf(_service: Service) {
  const integer = z.int()
  const uuid = z
    .string()
    .regex(uuidForm, 'not a uuid')
    .transform((text) => text.toLowerCase())
  return {
    integer,
    text: z.string(),
    flag: z.boolean(),
    uuid,
    integers: z.array(integer),
    texts: z.array(z.string()),
    object: z.record(z.string(), z.unknown()),
    moment: z.iso.datetime({ offset: true, local: true }),
    /** An integer as a path has it. */
    pathInteger: z
      .string()
      .regex(/^-?\d+$/, 'not a whole number')
      .transform(Number)
      .refine(Number.isSafeInteger, 'too large'),
    source: z.enum([...ownSources, ...thirdParties])
  }
}

export type Kinds = ReturnType<typeof kindsOf>
