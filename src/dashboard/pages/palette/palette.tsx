import { useEffect, useId, useState } from 'preact/hooks'
import { Choices, comboboxOf, moved } from '../parts/choices.js'
import { Dialog } from '../parts/dialog.js'
import { useKeys } from '../parts/keys.js'
import { useLater } from '../parts/later.js'
import { say, sayFailed } from '../parts/toasts.js'
import { type Command, find, loadCommands, matching } from './commands.js'

const keys = [
  ['Ctrl K', 'go to anything'],
  ['/', 'filter the requests'],
  ['j', 'the next exchange'],
  ['k', 'the exchange before'],
  ['Enter', 'open the exchange'],
  ['Esc', 'close what is open, go to now'],
  ['[', 'back in time'],
  [']', 'forward in time'],
  ['Ctrl Z', 'undo the last action'],
  ['Ctrl Enter', 'send the request'],
  ['?', 'these keys']
] as const

function KeyList() {
  return (
    <dl class="keys">
      {keys.map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The command palette, which Ctrl K opens, and the list of keys. */
export function Palette() {
  const [shown, show] = useState<'palette' | 'keys'>()
  const close = () => show(undefined)
  useKeys({ 'Ctrl k': () => show('palette'), '?': () => show('keys') })
  return (
    <>
      <button type="button" class="opener" onClick={() => show('palette')} aria-keyshortcuts="Control+K">
        Go to… <kbd>Ctrl K</kbd>
      </button>
      {shown === 'palette' && (
        <Dialog title="Commands" class="palette" onClose={close}>
          <Finder onClose={close} showKeys={() => show('keys')} />
        </Dialog>
      )}
      {shown === 'keys' && (
        <Dialog title="Keys" end="Close" onClose={close}>
          <KeyList />
        </Dialog>
      )}
    </>
  )
}

function Finder({ onClose, showKeys }: { onClose: () => void; showKeys: () => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const [commands, setCommands] = useState<Command[]>([])
  useEffect(() => void loadCommands(showKeys).then(setCommands, sayFailed), [])
  const words = text.trim()
  const search = useLater(() => find(words), words.length < 3 ? undefined : words, 250)
  const rows = (search.isCurrent && search.value) || []
  const matches = matching(commands, text)
  const choices = [...matches, ...rows.filter(({ id }) => !matches.some((it) => it.id === id))]
  const run = (command: Command) => {
    onClose()
    void (async () => command.run())().then((text) => typeof text === 'string' && say(text), sayFailed)
  }
  const press = (event: KeyboardEvent) => {
    const next = moved(event.key, active, choices.length, false)
    const command = choices[active]
    if (next !== undefined) setActive(next)
    else if (event.key === 'Enter' && command) run(command)
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        type="text"
        aria-label="Find a page, an action, an operation, an assumption or a row"
        placeholder="Find a page, an action, an operation, an assumption, a row"
        value={text}
        {...comboboxOf(id, choices, active)}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={press}
      />
      <Choices
        id={id}
        label="Commands"
        choices={choices}
        active={active}
        onChoose={(choice) => run(choice as Command)}
      />
      {choices.length === 0 && text !== '' && <p class="quiet">Nothing has these words.</p>}
    </>
  )
}
