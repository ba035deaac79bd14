import type { Contract } from '../../engine/contract/contract.js'
import { shown } from '../../engine/contract/load.js'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import type { Operation } from '../../engine/contract/model.js'
import type { Operations } from '../../engine/contract/types.gen.js'
import { checkedInput } from '../../engine/control/call.js'

/** Reads the JSON or YAML file that an option names. Throws an Error that names the file, or the option if there is none. */
export function readOptionFile(option: string, file: string): unknown {
  try {
    return readUserFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Error(code === 'ENOENT' ? `${option} is ${file}: there is no such file.` : `${shown(file)}: ${message}`)
  }
}

/** Checks a value like the body of a call of the control API. Throws an Invalid that names each wrong field. */
export function checkedBody<Id extends keyof Operations>(
  contract: Contract,
  id: Id,
  body: unknown
): NonNullable<Operations[Id]['input']> extends { body: infer Body } ? Body : never {
  const operation = contract.control.get(id) as Operation
  const { body: checked } = checkedInput({
    operation,
    contract,
    raw: { path: {}, query: {}, body },
    assumed: new Set()
  })
  return checked as never
}
