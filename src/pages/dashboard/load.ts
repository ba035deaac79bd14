import { useEffect, useRef, useState } from 'preact/hooks'
import { epoch, exchanges } from './live.js'

/** What was loaded last, and why nothing could be. */
export interface Loaded<T> {
  value: T | undefined
  error: Error | undefined
  reload: () => Promise<void>
}

/**
 * Loads when `key` changes, when the mock was reached anew, with `live` when there were exchanges, and every so many
 * milliseconds. While one load is on its way others wait, and are one.
 */
export function useLoad<T>(
  load: () => Promise<T>,
  key: string,
  { live = false, every }: { live?: boolean; every?: number } = {}
): Loaded<T> {
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
      // What is shown stays when the mock is gone: the banner says so.
      if (!current.isOver) set((before) => ('error' in next ? { ...before, ...next } : next))
    }
    current.isBusy = false
  }

  const happened = live ? exchanges.value : 0
  useEffect(() => void reload(), [key, happened, epoch.value])
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
