import { useEffect, useRef } from 'preact/hooks'

/** Returns false if the key was not for it. */
type Act = () => unknown
type Keys = Record<string, Act>

/**
 * Handles keys of the whole page. Letters are ignored while the user types or a dialog is open. Ctrl and Cmd are written "Ctrl
 * ".
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
      const isTyping = (target as Element).closest('input, textarea, select') !== null
      if (key === 'z' && (target as Element).closest('textarea, input:not([type=checkbox], [type=radio])')) return
      if (!isCommand && (isTyping || isDialogOpen())) return
      if (act() !== false) event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}
