import type { Switches } from '../switch.js'

/** How requests are read. */
export const requests = {
  'lax-numbers': { says: 'Texts of digits are numbers.' },
  'lax-booleans': { says: 'Words and numbers are booleans, and booleans numbers.' },
  'lax-texts': { says: 'Numbers are texts.' },
  'ids-of-nine-digits': { says: 'Ids in a path have at most nine digits; others are answered with 422.' },
  'positive-ids': { says: 'Ids in a path begin at 1; others are answered with 422.' },
  'texts-of-100': { says: 'Texts have at most 100 characters.' },
  'texts-of-255': { says: 'Texts have at most 255 characters.' },
  'texts-of-2000': { says: 'Texts have at most 2000 characters.' },
  'no-nul': { says: 'Texts have no NUL.' },
  'nulls-taken': { says: 'Null in a field that may be left out is as if it were left out.' },
  'unknown-fields-422': { says: 'Fields of bodies that are not known are answered with 422.' },
  'unknown-queries-422': { says: 'Parameters of queries that are not known are answered with 422.' },
  'uuids-of-version-4': { says: 'Only UUIDs of a known version are good.' },
  'no-local-times': { says: 'Times need an offset.' },
  'dates-are-times': { says: 'A date alone is a time.' },
  'any-type': { says: 'A body is read as JSON, whatever its type.' },
  'type-422': { says: 'A body of another type is answered with 422.' },
  'type-400': { says: 'A body of another type is answered with 400.' },
  'missing-fields': { says: 'A missing body is told of each field that it needs.' },
  'first-only': { says: 'Only the first mistake of a request is told.' },
  'body-checked-later': { says: 'A body is checked only where path and query are good.' },
  'not-json-400': { says: 'A body that is no JSON is answered with 400.' },
  'type-codes': { says: 'Mistakes have codes and short words.' }
} as const satisfies Switches

const needed: Record<string, string[]> = {
  E1: ['persona_id', 'description'],
  E8: ['name', 'curator_public', 'groups'],
  E13: ['name', 'auto_sync_options', 'groups'],
  E16: ['access_type_filters', 'source_to_page']
}

const notNeeded: Record<string, string[]> = {
  E8: ['admin_public', 'source', 'credential_json'],
  E12: ['name', 'credential_json', 'uploaded_file', 'field_key', 'type_definition_key'],
  E19: ['definition'],
  E27: ['emails'],
  E28: ['user_email']
}

const each = (kind: string, fields: Record<string, string[]>, says: (id: string, field: string) => string): Switches =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([id, names]) =>
      names.map((name) => [`${kind} ${id} ${name}`, { says: says(id, name) }])
    )
  )

/** What the service needs, and what not. */
export const needs: Switches = {
  ...each('needed', needed, (id, field) => `${id} needs ${field}.`),
  ...each('not-needed', notNeeded, (id, field) => `${id} does not need ${field}.`),
  'no-body E13': { says: 'E13 needs no body.' },
  'no-body E16': { says: 'E16 needs no body.' },
  'no-body E1': { says: 'E1 needs no body.' },
  'no-body E6': { says: 'E6 needs no body.' },
  'no-body E12': { says: 'E12 needs no field of its form.' }
}
