import { Action } from '../parts/action.js'
import { DialogButton } from '../parts/dialog.js'
import { count, Short } from '../parts/text.js'
import { TextForm } from '../parts/text-form.js'
import { mockTime, wallTime } from '../parts/time.js'
import { go, href, route, setQuery } from '../route.js'
import { makeSandbox } from '../undo/make-sandbox.js'
import { undoable } from '../undo/undo.js'
import type { Event } from './events.js'

interface Props {
  /** The event under the pointer, or else the one that is shown. */
  event: Event | undefined
  isPointed: boolean
  /** The moment that the page shows. Undefined: now. */
  at: string | undefined
  /** Why it cannot be shown. */
  problem: string | undefined
  count: number
  /** The number of events in the chosen stretch. */
  stretch: number | undefined
}

/** The event that the ribbon points at, and its actions. */
export function Readout({ event, isPointed, at, problem, count: all, stretch }: Props) {
  const { sandbox, page } = route.value
  const fork = async (name: string) => {
    await makeSandbox({ name, from: sandbox, ...(at !== undefined && { at }) }, `Sandbox ${name} goes on from ${at}.`)
    go(href('state', [], {}, name))
  }
  const isPast = at !== undefined
  if (problem !== undefined && !isPointed) {
    return (
      <div class="readout">
        <p class="problem" role="alert">
          {problem}
        </p>
        <button type="button" class="primary" onClick={() => setQuery({ at: undefined })}>
          Now <kbd>Esc</kbd>
        </button>
      </div>
    )
  }
  return (
    <div class="readout">
      <p class={isPointed || isPast ? undefined : 'quiet'}>
        {(isPointed || isPast) && event ? (
          <>
            {!isPointed && <b>{event.kind === 'start' ? '' : 'After '}</b>}
            <Short text={event.text} most={120} />{' '}
            <span class="quiet number">
              {event.at}
              {event.wall !== undefined && ` · ${wallTime(event.wall)}`}
              {event.mock !== undefined && ` · mock ${mockTime(event.mock)}`}
              {!event.isKept && ' · its state is no longer kept'}
            </span>
          </>
        ) : (
          `Now · ${count(all, 'event')}. Click or use the arrow keys to look back.`
        )}
      </p>
      <div class="buttons">
        {stretch !== undefined && (
          <button type="button" onClick={() => setQuery({ stretch: undefined })}>
            Stretch of {count(stretch, 'event')} ×
          </button>
        )}
        {isPast && (
          <>
            {page !== 'state' && (
              <a class="button" href={href('state')}>
                State then
              </a>
            )}
            <DialogButton label="Fork from here" title={`Fork from ${at}`} end="Cancel">
              <p>
                A new sandbox goes on from this moment: rows, clock, choices and overrides. This one stays as it is.
              </p>
              <TextForm label="Name of the new sandbox" verb="Fork" run={fork} />
            </DialogButton>
            <Action
              run={async () => {
                await undoable('goBack', { path: { id: at } }, `Went back to ${at}.`)
                setQuery({ at: undefined })
              }}
            >
              Go back to here
            </Action>
            <button type="button" class="primary" onClick={() => setQuery({ at: undefined })}>
              Now <kbd>Esc</kbd>
            </button>
          </>
        )}
      </div>
    </div>
  )
}
