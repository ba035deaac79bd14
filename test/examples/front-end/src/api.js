import { useCallback, useEffect, useState } from 'react'

/** Calls the API at the page's own origin: the browser sends the cookie. */
export async function call(method, path, body) {
  const isForm = body instanceof FormData
  const response = await fetch(path, {
    method,
    headers: body === undefined || isForm ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined || isForm ? body : JSON.stringify(body)
  })
  const text = await response.text()
  const answer = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new Error(reason(answer?.detail) ?? `The service answered ${response.status}.`)
  return answer
}

/** What a `detail` says: a sentence, or the list of what is wrong with a request. */
const reason = (detail) => (Array.isArray(detail) ? detail.map(({ msg }) => msg).join('; ') : detail)

/** What a path answers, and how to ask again. No path: nothing is asked. */
export function useApi(path) {
  const [state, setState] = useState({})
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    if (!path) return setState({})
    let isOver = false
    const show = (next) => !isOver && setState(next)
    call('GET', path).then(
      (data) => show({ data }),
      (error) => show({ error })
    )
    return () => {
      isOver = true
    }
  }, [path, round])
  const reload = useCallback(() => setRound((it) => it + 1), [])
  return { ...state, reload }
}

/** Does something and says what became of it. */
export function useAction() {
  const [said, setSaid] = useState('')
  const run = async (action) => {
    try {
      setSaid((await action()) ?? '')
    } catch (error) {
      setSaid(error.message)
    }
  }
  return [said, run]
}
