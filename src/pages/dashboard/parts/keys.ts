import { useEffect, useRef } from 'preact/hooks'

type Keys = Record<string, () => void>

/**
 * Acts on keys of the whole page. Letters are ignored while one types or a dialog is open. Ctrl and Cmd are written
 * "Ctrl ".
 */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event
      const isCommand = ctrlKey || metaKey
      const act = current.current[isCommand ? `Ctrl ${key.toLowerCase()}` : key]
      if (!act || altKey || defaultPrevented) return
      if (!isCommand && ((target as Element).closest('input, textarea, select') || isDialogOpen())) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}
