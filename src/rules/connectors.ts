import { nestsTooDeep } from '../contract/nesting.js'
import { Refusal } from '../contract/refusal.js'
import type { FileUploadResult, File as UploadedFile } from '../contract/types.gen.js'
import { getIndexingStatus } from './indexing.js'
import { missing, type Rules } from './rule.js'
import { isKnown } from './sources.js'

/** Connectors: E15 to E17. */
export const connectorRules: Rules<'connectors'> = {
  /** E15: anybody may read a connector. */
  getConnector({ path: { connector_id } }, context) {
    const { rows } = context
    const row = rows.connectors.get(connector_id)
    if (row && isKnown(context, row)) {
      const pairs = [...rows.connectorCredentials.where('byConnector', connector_id)]
      return { ...row, credential_ids: [...new Set(pairs.map((pair) => pair.credential_id))] }
    }
    if (context.assume('connector.missing') === '404') throw missing(undefined, { connector_id })
    return { success: false, message: `Connector ${connector_id} does not exist`, data: connector_id }
  },

  getIndexingStatus,

  /** E17: a zip that was unpacked counts as the files in it. Only their names are kept. */
  uploadConnectorFiles({ body: { files } }, { ids }) {
    const zips = files.filter((file) => file.entries)
    if (zips.length > 1) throw new Refusal('second-zip')
    const zip_metadata = zips[0]?.metadata ? readMetadata(zips[0].metadata) : {}
    const file_names = files.flatMap(namesIn)
    return { file_paths: file_names.map(() => ids.uuid()), file_names, zip_metadata }
  }
}

/** The names of the files in a zip, without folders and hidden files, or the name of a file that is none. */
function namesIn({ name, entries }: UploadedFile): string[] {
  if (!entries) return [name]
  const paths = entries.map((entry) => entry.path.split('/'))
  const shown = paths.filter((path) => path.at(-1) !== '' && !path.some((part) => part.startsWith('.')))
  return shown.map((path) => path.at(-1) as string)
}

/** An object as it is; a list as an object, by the file name in each item. */
function readMetadata({ name, text }: { name: string; text: string }): FileUploadResult['zip_metadata'] {
  const refusal = (reason: string) => new Refusal('bad-metadata', { name, text: reason })
  if (nestsTooDeep(text)) throw refusal('it nests too deep')
  let metadata: unknown
  try {
    metadata = JSON.parse(text)
  } catch (error) {
    throw refusal((error as Error).message)
  }
  if (typeof metadata !== 'object' || metadata === null) throw refusal('it holds neither an object nor a list')
  if (!Array.isArray(metadata)) return { ...metadata }
  return Object.fromEntries(
    metadata.map((item) => {
      if (typeof item?.filename !== 'string') throw refusal('every item of the list needs a filename')
      return [item.filename, item]
    })
  )
}
