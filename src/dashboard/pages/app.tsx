import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Assumptions } from './assumptions.js'
import { call, giveToken, isLocked, isTokenRefused, Refused, unlock } from './client.js'
import { Clock } from './clock/clock.js'
import { Cluster } from './cluster/cluster.js'
import { pagesHere, useCluster } from './cluster/is-shared.js'
import { Coverage } from './coverage.js'
import { connection, follow, isExpired, isSeen } from './live.js'
import { useCall } from './load.js'
import { Overrides } from './overrides/overrides.js'
import { Palette } from './palette/palette.js'
import { Action } from './parts/action.js'
import { Field } from './parts/field.js'
import { Head } from './parts/page.js'
import { say, Toasts } from './parts/toasts.js'
import { Requests } from './requests/requests.js'
import { explorerAddress, go, href, type Page, route } from './route.js'
import { Sandboxes } from './sandboxes.js'
import { Scenarios } from './scenarios.js'
import { Send } from './send/send.js'
import { State } from './state/state.js'
import { isStaying } from './undo/later.js'
import { makeSandbox } from './undo/make-sandbox.js'

const refused = 'This is not the control token of the mock.'

/** Asks for the control token and keeps it for this tab. */
function Unlock() {
  const [token, setToken] = useState('')
  const [error, setError] = useState(isTokenRefused() ? refused : undefined)
  const input = useRef<HTMLInputElement>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    // A header cannot have other characters, so no token has them.
    if (/[^ -~]/.test(token)) return setError(refused)
    giveToken(token)
    try {
      await call('getClock')
      unlock()
    } catch (failed) {
      setError(failed instanceof Refused && failed.problem.status === 401 ? refused : (failed as Error).message)
      input.current?.select()
    }
  }
  return (
    <>
      <Head title="Control token" />
      <form class="fields narrow" noValidate onSubmit={(event) => void submit(event)}>
        <p>
          The mock was started with --control-token. Give that token to look at it; this tab keeps it until it is
          closed.
        </p>
        <Field label="Control token" error={error}>
          {(shared) => (
            <input
              {...shared}
              type="password"
              autoComplete="off"
              ref={input}
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="buttons">
          <button type="submit" class="primary">
            Go on
          </button>
        </div>
      </form>
    </>
  )
}

const texts = { connecting: 'Connecting', live: 'Live', gone: 'Gone', refused: 'Refused' }

/** The state of the connection. Announces when the mock stops and when it is back. */
function Connection() {
  const state = connection.value
  const before = useRef(state)
  const name = route.value.sandbox
  useEffect(() => {
    if (before.current === 'gone' && state === 'live') say('The mock is back.')
    before.current = state
  }, [state])
  return (
    <>
      <span class={`connection ${state}`}>{texts[state]}</span>
      <div class="gone" role="alert">
        {state === 'gone' && <p class="problem">The mock does not answer. What you see is how it was; trying again…</p>}
        {state === 'refused' && isExpired.value && (
          <p class="problem">
            Nobody used the sandbox {name} for a while, so it was dropped.{' '}
            <Action run={() => makeSandbox({ name }, `Sandbox ${name} was created.`)}>Make it again</Action>
          </p>
        )}
      </div>
    </>
  )
}

/** The number of sandboxes in the list. The page of sandboxes finds the others. */
const most = 100
const others = ' others'

/** Chooses the sandbox for all pages. */
function SandboxChooser() {
  const { sandbox, page } = route.value
  const { value } = useCall('listSandboxes', { query: { limit: most } }, { every: 5000 })
  const used = (value?.sandboxes ?? []).map(({ name }) => name).filter((name) => isStaying('dropSandbox', name))
  const names = new Set([sandbox, 'default', ...used])
  const choose = (name: string) => go(name === others ? href('sandboxes') : href(page, [], {}, name))
  return (
    <label class="chooser">
      <span>Sandbox</span>
      <select value={sandbox} onChange={(event) => choose(event.currentTarget.value)}>
        {[...names].sort().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        {value && value.total > most && (
          <option value={others}>Find another of {value.total.toLocaleString('en')}…</option>
        )}
      </select>
    </label>
  )
}

const contents: Record<Page, { title: string; Content: ComponentType }> = {
  requests: { title: 'Requests', Content: Requests },
  send: { title: 'Send', Content: Send },
  state: { title: 'State', Content: State },
  clock: { title: 'Clock', Content: Clock },
  overrides: { title: 'Overrides', Content: Overrides },
  scenarios: { title: 'Scenarios', Content: Scenarios },
  assumptions: { title: 'Assumptions', Content: Assumptions },
  coverage: { title: 'Coverage', Content: Coverage },
  sandboxes: { title: 'Sandboxes', Content: Sandboxes },
  cluster: { title: 'Cluster', Content: Cluster }
}

export function App() {
  const { sandbox, page, rest } = route.value
  const locked = isLocked.value
  const isFollowed = !isLocked.value && isSeen.value
  useEffect(() => (isFollowed ? follow() : undefined), [sandbox, isFollowed])
  useArrival()
  useCluster()
  // The list of requests scrolls, and not the page. Selectors with :has() would cost time whenever a row changes.
  useEffect(() => void document.getElementById('app')?.classList.toggle('fixed', page === 'requests'), [page])
  const menu = useRef<HTMLElement>(null)
  useEffect(
    () => menu.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [page, pagesHere().length]
  )
  const { Content } = contents[page]
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="name" href={href('requests')}>
          <img src="assets/icon.svg" alt="" width="24" height="24" />
          <span>Knowledge Chat mock</span>
        </a>
        <nav ref={menu} class="pages" aria-label="Pages">
          {pagesHere().map((name) => (
            <a key={name} href={href(name)} aria-current={name === page ? 'page' : undefined}>
              {contents[name].title}
            </a>
          ))}
        </nav>
        {!locked && <Palette />}
        <Connection />
        {!locked && <SandboxChooser />}
        <a class="explorer" href={explorerAddress()}>
          API explorer
        </a>
      </header>
      <main
        id="main"
        class={page === 'requests' ? `fill ${rest.length > 0 ? 'open' : ''}` : undefined}
        tabIndex={-1}
        key={`${sandbox} ${page}`}
      >
        {locked ? <Unlock /> : <Content />}
      </main>
      <Toasts />
    </>
  )
}

/** After navigation: scrolls to the top, and moves the focus to the page if the focused element is gone. */
function useArrival(): void {
  const { page, rest } = route.value
  const isFirst = useRef(true)
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    // Next to the list, an exchange is in view already.
    if (page !== 'requests' || matchMedia('(width < 64rem)').matches) scrollTo(0, 0)
    // The browser drops the focus of removed elements only after it has drawn the page.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
      })
    )
  }, [page, rest.join('/')])
}
