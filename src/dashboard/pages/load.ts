import { useEffect, useRef, useState } from 'preact/hooks'
import { type ControlId, call, type Input, Refused, type Reply } from './client.js'
import { changes, emptied, epoch, exchanges } from './live.js'

/** The latest value, and the error if loading failed. */
export interface LoadState<T> {
  value: T | undefined
  error: Error | undefined
  reload: () => Promise<void>
}

interface Options {
  live?: boolean
  every?: number | undefined
}

/** Loads the answer of one call of the control API, and again when its input changes. */
export function useCall<Id extends ControlId>(id: Id, input: Input<Id> = {}, options?: Options): LoadState<Reply<Id>> {
  return useLoad(() => call(id, input), `${id} ${JSON.stringify(input)}`, options)
}

/**
 * Loads when `key` changes, on a reconnect, when anything is changed from outside, and at intervals. With `live`, loads
 * on new exchanges too. Only one load runs at a time; requests in the meantime are combined.
 */
export function useLoad<T>(load: () => Promise<T>, key: string, { live = false, every }: Options = {}): LoadState<T> {
  const [{ value, error }, set] = useState<{ value?: T; error?: Error }>({})
  const now = useRef({ load, isBusy: false, isWanted: false, isOver: false })
  now.current.load = load

  const reload = async (): Promise<void> => {
    const { current } = now
    current.isWanted = true
    if (current.isBusy) return
    current.isBusy = true
    while (current.isWanted && !current.isOver) {
      current.isWanted = false
      const next = await current.load().then(
        (value) => ({ value }),
        (error: Error) => ({ error })
      )
      // The old value stays while the mock is gone, which the banner shows. A refusal replaces the old value.
      const isGone = 'error' in next && !(next.error instanceof Refused)
      if (!current.isOver) set((before) => (isGone ? { ...before, ...next } : next))
    }
    current.isBusy = false
  }

  const happened = live ? exchanges.value : 0
  useEffect(() => void reload(), [key, happened, changes.value, emptied.value, epoch.value])
  useEffect(() => {
    if (every === undefined) return
    const timer = setInterval(() => void reload(), every)
    return () => clearInterval(timer)
  }, [every])
  useEffect(
    () => () => {
      now.current.isOver = true
    },
    []
  )
  return { value, error, reload }
}
