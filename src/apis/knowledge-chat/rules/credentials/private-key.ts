import { checkSize } from '../../../../engine/contract/json.js'
import { isObject } from '../../../../engine/contract/load.js'
import { isPkcs12 } from '../../../../engine/contract/message/body.js'
import { shortened } from '../../../../engine/contract/message/refusal.js'
import type { CredentialJson, Operations } from '../../types.gen.js'
import { type Context, nothingLeft, Refusal } from '../rule.js'

type KeyForm = Omit<Operations['replacePrivateKey']['input']['body'], 'name'>

const pkcs12Key = 'sharepoint_pfx_file'

/** E12: the values of a form, with its file as text under the given key. */
export function withKeyFile(context: Context, form: KeyForm): CredentialJson {
  const { credential_json, uploaded_file: file, field_key, type_definition_key: key, ...rest } = form
  nothingLeft(rest)
  const fields = readObject(credential_json)
  if (context.assume('credential.private-key') === 'pkcs12') {
    if (key !== pkcs12Key) throw new Refusal('bad-key-type', { key: shortened(key) })
    if (!file.name.endsWith('.pfx')) throw new Refusal('bad-file-name')
    if (!isPkcs12(file.bytes)) throw new Refusal('bad-file')
  }
  // A computed key makes a normal field, even for __proto__.
  return { ...fields, [field_key]: Buffer.from(file.bytes).toString(context.assume('credential.file-encoding')) }
}

function readObject(text: string): CredentialJson {
  checkSize(text, 'credential_json', () => new Refusal('bad-json', { text: 'it is nested too deeply' }))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message would quote the text, which contains secrets.
    throw new Refusal('bad-json', { text: 'it is not JSON' })
  }
  if (isObject(value)) return value
  throw new Refusal('bad-json', { text: 'it must be an object' })
}
