import { checkSize } from '../../../../engine/contract/json.js'
import { shortened } from '../../../../engine/contract/message/refusal.js'
import type { Rows, File as UploadedFile } from '../../types.gen.js'
import { canSee } from '../credentials/credential-access.js'
import { getIndexingStatus } from '../indexing/indexing.js'
import { type Context, isKnown, missing, Refusal, type Rules, statusResponse } from '../rule.js'

/** Connectors: E15 to E17. */
export const connectorRules: Rules<'connectors'> = {
  /** E15: any user may read a connector. */
  getConnector({ path: { connector_id } }, context) {
    const { rows } = context
    const row = rows.connectors.get(connector_id)
    if (row && isKnown(context, row)) {
      const pairs = [...rows.connectorCredentials.where('byConnector', connector_id)]
      const ids = [...new Set(pairs.map((pair) => pair.credential_id))]
      return { ...row, credential_ids: ids.filter((id) => isNamed(context, id)) }
    }
    if (context.assume('connector.missing') === '404') throw missing(undefined, { connector_id })
    return statusResponse(context, false, `Connector ${connector_id} does not exist`, connector_id)
  },

  getIndexingStatus,

  /** E17: an unpacked zip counts as its files. Only their names are stored. */
  uploadConnectorFiles({ body: { files } }, context) {
    const [, second] = files.flatMap(({ entries }, index) => (entries ? [index] : []))
    if (second !== undefined && context.assume('upload.zips') !== 'several') {
      throw new Refusal('second-zip', { index: second })
    }
    // Built from entries, so that __proto__ is a normal name.
    const joined = Object.fromEntries(files.flatMap((file, index) => fieldsOf(file, index)))
    const file_names = withoutDoubles(
      context,
      files.flatMap((file) => namesIn(context, file))
    )
    return { file_paths: file_names.map(() => context.ids.uuid()), file_names, zip_metadata: joined }
  }
}

function isNamed(context: Context, id: number): boolean {
  const row = context.rows.credentials.get(id) as Rows['credentials']
  return canSee(context, row) || context.assume('connector.credential-ids') === 'all'
}

/** The names of the files in a zip, without folders and metadata. For other files, their own name. */
function namesIn(context: Context, { name, sentName, entries, metadata }: UploadedFile): string[] {
  if (!entries) return [name !== sentName && context.assume('upload.folders') === 'kept' ? sentName : name]
  return entries.flatMap(({ path }) => {
    const parts = path.split('/')
    const file = parts.at(-1)
    return !file || path === metadata?.name || isHidden(context, parts) ? [] : file
  })
}

/** Whether operating systems hide an entry of a zip, or a folder that contains it. */
function isHidden(context: Context, parts: string[]): boolean {
  const isDotted = parts.some((part) => part.startsWith('.'))
  if (!isDotted && !parts.includes('__MACOSX')) return false
  const choice = context.assume('upload.zip-entries')
  return choice === 'dotted' ? isDotted : choice === 'dotted-and-macos'
}

/** The names unchanged, or without duplicates. */
function withoutDoubles(context: Context, names: string[]): string[] {
  const once = [...new Set(names)]
  return once.length === names.length || context.assume('upload.same-names') === 'kept' ? names : once
}

/** The fields of a zip's metadata, or the items of a list by their file name. */
function fieldsOf({ metadata: file }: UploadedFile, index: number): [string, unknown][] {
  if (!file) return []
  const { name, text } = file
  const refusal = (reason: string) => new Refusal('bad-metadata', { index, name: shortened(name), text: reason })
  checkSize(text, shortened(name), () => refusal('it is nested too deeply'))
  let metadata: unknown
  try {
    metadata = JSON.parse(text)
  } catch (error) {
    throw refusal((error as Error).message)
  }
  if (typeof metadata !== 'object' || metadata === null) throw refusal('it must be an object or a list')
  if (!Array.isArray(metadata)) return Object.entries(metadata)
  return metadata.map((item) => {
    if (typeof item?.filename !== 'string') throw refusal('every item of the list needs a filename')
    return [item.filename, item]
  })
}
