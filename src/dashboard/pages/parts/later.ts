import { useEffect, useMemo, useState } from 'preact/hooks'
import { Gone } from '../client.js'
import { sayFailed } from './toasts.js'

/**
 * The value for a key, loaded once the key has stayed the same for a moment. Until then it is the earlier value, and not
 * current. Without a key, nothing is loaded.
 */
export function useLater<T>(load: () => T | Promise<T>, key: string | undefined, pause: number) {
  const own = useMemo(() => ({}), [key])
  const [latest, set] = useState<{ of: object; value: T }>()
  useEffect(() => {
    if (key === undefined) return
    let isOver = false
    const run = async () => {
      const value = await load()
      if (!isOver) set({ of: own, value })
    }
    // The page already shows that the mock is gone.
    const timer = setTimeout(() => run().catch((error) => error instanceof Gone || sayFailed(error)), pause)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [key])
  return { value: latest?.value, isCurrent: latest?.of === own }
}
