import { useEffect, useState } from 'preact/hooks'
import type { RequestCheck } from '../../../contract/types.gen.js'
import { call, Refused } from '../client.js'
import { changes } from '../live.js'
import { callOf, type Draft, type Files } from './draft.js'
import type { OperationForm } from './operation.js'

/** What the contract says of a request while one types. Undefined: it cannot be checked. */
export function useCheck(draft: Draft, known: OperationForm | undefined, files: Files): RequestCheck | undefined {
  const [check, setCheck] = useState<RequestCheck>()
  const asked = JSON.stringify(callOf(draft, known, files))
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(() => {
      call('checkCall', { body: JSON.parse(asked) }).then(
        (found) => isOver || setCheck(found),
        (error) => isOver || (error instanceof Refused && setCheck(undefined))
      )
    }, 200)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [asked, changes.value])
  return check
}
