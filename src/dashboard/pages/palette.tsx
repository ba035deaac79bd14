import { useEffect, useState } from 'preact/hooks'
import { call } from './client.js'
import { answerNext, outcomes } from './next-time.js'
import { outgoingOf } from './outgoing/outgoing.js'
import { resend } from './outgoing/send.js'
import { Dialog, say, sayFailed, useKeys } from './parts/actions.js'
import { type Choice, useLater, useListbox } from './parts/choices.js'
import { Terms } from './parts/text.js'
import { failures, queryText } from './requests/query.js'
import { go, href, pageLabel, pagesHere } from './route.js'
import { type CollectionName, findRows, nameIn } from './state/fields.js'
import { one, several } from './state/labels.js'
import { emptyJournal, playScenario, undoable, undoLatest } from './undo.js'

const keys = {
  'Ctrl K': 'go to anything',
  '/': 'filter the requests, find an operation in the explorer',
  f: 'only failures, or all again',
  j: 'the next exchange',
  k: 'the previous exchange',
  r: 'send the exchange again, corrected if it can be',
  n: 'the answer next time: 500, 503, 429, slow, …',
  Enter: 'open the exchange',
  Esc: 'close what is open, go to now',
  '[': 'back in time',
  ']': 'forward in time',
  'Ctrl Z': 'undo the last action',
  'Ctrl Enter': 'send the request, add the override',
  '?': 'these keys'
}

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
          <Terms class="keys" list={Object.entries(keys)} term={(key) => <kbd>{key}</kbd>} value={(does) => does} />
        </Dialog>
      )}
    </>
  )
}

function Finder({ onClose, showKeys }: { onClose: () => void; showKeys: () => void }) {
  const [text, setText] = useState('')
  const [commands, setCommands] = useState<Command[]>()
  useEffect(() => void loadCommands(showKeys).then(setCommands, sayFailed), [])
  const words = text.trim()
  const search = useLater(() => find(words), words.length < 3 && !/^r\d$/.test(words) ? undefined : words, 250)
  // Rows come last, so that no choice moves when they arrive.
  const rows = (commands && search.isCurrent && search.value) || []
  const matches = matching(commands ?? [], text)
  const choices = [...matches, ...rows.filter(({ id }) => !matches.some((it) => it.id === id))]
  const run = (command: Command) => {
    onClose()
    void (async () => command.run())().then((text) => typeof text === 'string' && say(text), sayFailed)
  }
  const { input, press, reset, list } = useListbox({ label: 'Commands', choices, onChoose: run, start: 0 })
  /** Whether Enter was pressed before anything was found. */
  const [isHurried, hurry] = useState(false)
  useEffect(() => {
    if (isHurried && choices[0]) run(choices[0])
  }, [isHurried, choices.length])
  return (
    <>
      <input
        type="text"
        aria-label="Find a page, an action, an operation, an assumption or a row"
        placeholder="Find a page, an action, an operation, an exchange (r50), a row"
        value={text}
        {...input}
        onInput={(event) => {
          setText(event.currentTarget.value)
          reset()
          hurry(false)
        }}
        onKeyDown={(event) => (press(event) ? event.preventDefault() : event.key === 'Enter' && hurry(true))}
      />
      {list}
      {choices.length === 0 && text !== '' && <p class="quiet">Nothing has these words.</p>}
    </>
  )
}

type Command = Choice & { group: string; run: () => unknown }

/** Commands of a group if there is a text, and sandboxes with it. */
const most = 7
const mostRows = 3

function command(group: string, label: string, run: Command['run'], hint?: string): Command {
  return { id: `${group} ${label}`, group, label, hint, run }
}

function to(...address: Parameters<typeof href>) {
  return () => go(href(...address))
}
const opening = ({ name }: { name: string }) => command('Sandboxes', `Open ${name}`, to('requests', [], {}, name))

async function loadCommands(showKeys: () => void): Promise<Command[]> {
  const [{ operations }, { assumptions }, { scenarios }, { sandboxes }] = await Promise.all([
    call('listOperations'),
    call('getAssumptions'),
    call('listScenarios'),
    call('listSandboxes')
  ])
  const clock = (label: string, body: object, text: string, hint?: string) =>
    command('Actions', label, () => undoable('setClock', { body }, text), hint)
  return [
    ...pagesHere.map((page) => command('Pages', pageLabel(page), to(page))),
    command('Actions', 'Send a request', to('send')),
    command('Actions', 'Add an override', to('overrides', ['new'])),
    command('Actions', 'Clear the journal', emptyJournal),
    command('Actions', 'Show failures', to('requests', [], { q: failures }), 'the exchanges that went wrong'),
    command('Actions', 'Undo the last change', undoLatest),
    clock('Stop the clock', { speed: 0 }, 'The clock is stopped.', 'freeze, pause'),
    clock('Start the clock', { speed: 1 }, 'The clock runs.', 'resume'),
    clock('Advance the clock by an hour', { advance: '1h' }, 'The clock is an hour later.'),
    clock('Advance the clock by a day', { advance: '1d' }, 'The clock is a day later.'),
    command('Actions', 'Snapshots and reset', to('state')),
    command('Actions', 'Show the keys', showKeys),
    ...scenarios.map((it) => command('Scenarios', `Play ${it.name}`, () => playScenario(it.name), it.description)),
    ...operations.map(({ id, method, path, summary }) => {
      const query = { q: queryText({ op: id }) }
      return command('Operations', id, to('requests', [], query), `${summary} · ${method} ${path}`)
    }),
    ...operations.flatMap(({ id: operation }) =>
      outcomes.map(([name, answer, does]) => {
        const run = () => answerNext({ operation }, { ...answer, times: 1 }, does)
        return command('Next time', `Next ${operation}: ${name}`, run, `fail the next ${operation} ${does}`)
      })
    ),
    ...operations.map((it) => command('Send', `Send ${it.id}`, to('send', [it.id]), `${it.method} ${it.path}`)),
    ...assumptions.map(({ id, question }) => command('Assumptions', id, to('assumptions', [], { q: id }), question)),
    ...sandboxes.map(opening)
  ]
}

async function find(text: string): Promise<Command[]> {
  const [{ sandboxes }, { collections }] = await Promise.all([
    call('listSandboxes', { query: { q: text, limit: most } }),
    call('listCollections')
  ])
  // A row of a collection: orders/4, order/4 or order 4.
  const [owner = '', number = ''] = text.toLowerCase().split(/[/ ]/).filter(Boolean)
  const rowsIn = async ({ name }: { name: string }) => {
    const isNamed = [name, one(name), several(name)].some((it) => [owner, `${owner}s`].includes(it.toLowerCase()))
    const path = { collection: name as CollectionName, id: number }
    const row = isNamed && (await call('getRow', { path }).catch(() => undefined))
    const exact = row ? [{ id: number, label: nameIn(row) ?? number }] : []
    const rows = isNamed ? exact : await findRows(name, text, mostRows)
    return rows.map(({ id, label }) => {
      const item = command('Rows', `${one(name)} ${label}`, to('state', [name, id]), `${name} ${id}`)
      return { ...item, id: `${name} ${id}` }
    })
  }
  const [id] = /\br\d+$/.exec(text) ?? []
  const q = id ? `id:${id}` : /^[1-5]\d\d$/.test(text) ? `status:${text}` : /^\/\S+$/.test(text) ? text : undefined
  const like = q ? (await call('listRequests', { query: { query: q, limit: mostRows } })).requests : []
  const exchanges = like.flatMap(({ id, status, method, url }) => {
    const replay = async () => resend(outgoingOf(await call('getRequest', { path: { id } })), 'again')
    const hint = `${status} ${method} ${url}`
    const open = command('Exchanges', `Open ${id}`, to('requests', [id]), hint)
    return [open, command('Exchanges', `Replay ${id}`, replay, hint)]
  })
  return [
    ...matching(exchanges, text),
    ...(like.length < mostRows ? [] : [command('Exchanges', `All with ${text}`, to('requests', [], { q }))]),
    ...sandboxes.map(opening),
    ...(await Promise.all(collections.map(rowsIn))).flat()
  ]
}

/** The commands that have all words of a text. Those whose label is it or begins with it come first. */
function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const [first = ''] = words
  const whole = words.join(' ')
  const rankOf = (it: string) => (it === whole ? 0 : it.startsWith(first) ? 1 : it.includes(first) ? 2 : 3)
  const best = commands
    .filter(({ label, hint = '', group }) => {
      // There are many of these: they are shown only for a text.
      if (first === '' && group === 'Next time') return false
      const all = `${label} ${hint} ${group}`.toLowerCase()
      return words.every((word) => all.includes(word))
    })
    .sort((a, b) => rankOf(a.label.toLowerCase()) - rankOf(b.label.toLowerCase()))
  const groups = [...new Set(best.map(({ group }) => group))]
  return groups.flatMap((name) =>
    best.filter(({ group }) => group === name).slice(0, words.length === 0 ? undefined : most)
  )
}
