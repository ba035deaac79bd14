import { type ComponentType, render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { api } from './api.js'
import { Assumptions } from './assumptions.js'
import {
  base,
  call,
  connection,
  follow,
  hasControl,
  isExpired,
  isLocked,
  isOff,
  isSeen,
  Refused,
  tokenKey,
  useCall,
  useLoad
} from './client.js'
import { Clock } from './clock.js'
import { Cluster } from './cluster.js'
import { Coverage } from './coverage.js'
import { Overrides } from './overrides.js'
import { Palette } from './palette.js'
import { Button, say, Toasts } from './parts/actions.js'
import { Options, TextForm } from './parts/fields.js'
import { Head, Menu } from './parts/page.js'
import { grouped } from './parts/text.js'
import { Requests } from './requests/requests.js'
import { go, href, isDocs, type Page, pageLabel, pagesHere, route } from './route.js'
import { Sandboxes } from './sandboxes.js'
import { Scenarios } from './scenarios.js'
import { Explorer } from './send/explorer.js'
import { Shadow } from './shadow.js'
import { labels, worded } from './state/labels.js'
import { State } from './state/state.js'
import { isStaying, makeSandbox } from './undo.js'

const refused = 'This is not the control token of the mock.'

async function unlock(token: string): Promise<void> {
  // A header cannot have other characters, so no token has them.
  if (/[^ -~]/.test(token)) throw new Error(refused)
  sessionStorage.setItem(tokenKey, token)
  await call('getClock').catch((error: Error) => {
    throw error instanceof Refused && error.problem.status === 401 ? new Error(refused) : error
  })
  isLocked.value = false
}

function Unlock() {
  return (
    <>
      <Head title="Control token" />
      <p>
        The mock was started with --control-token. Enter this token to use the dashboard. The tab keeps it until you
        close it.
      </p>
      <TextForm
        label="Control token"
        type="password"
        verb="Continue"
        problem={sessionStorage.getItem(tokenKey) === null ? undefined : refused}
        run={unlock}
      />
    </>
  )
}

/** Announces when the mock stops, when it is back, and when the sandbox is gone. */
function Outage() {
  const state = connection.value
  const before = useRef(state)
  const name = route.value.sandbox
  useEffect(() => {
    if (before.current === 'gone' && state === 'live') say('The mock is back.')
    before.current = state
  }, [state])
  return (
    <div class="gone" role="alert">
      {state === 'gone' && <p class="problem">The mock does not answer. Trying again…</p>}
      {state === 'refused' && isExpired.value && (
        <p class="problem">
          The sandbox {name} was not used for a while, so it was dropped.{' '}
          <Button text="Create it again" run={() => makeSandbox({ name }, `Sandbox ${name} was created.`)} />
        </p>
      )}
    </div>
  )
}

const most = 100
const others = ' others'

function SandboxChooser() {
  const { sandbox, page, rest, query } = route.value
  const { value } = useCall('listSandboxes', { query: { limit: most } }, { every: 5000 })
  const sandboxNames = (value?.sandboxes ?? []).map(({ name }) => name).filter((name) => isStaying('dropSandbox', name))
  const names = new Set([sandbox, 'default', ...sandboxNames])
  const choose = (name: string) => {
    if (name === others) return go(href('sandboxes'))
    // An operation is in every sandbox; rows and exchanges are not.
    if (page === 'send') return go(href(page, rest, { as: query.get('as') ?? undefined }, name))
    go(href(page, [], {}, name))
  }
  return (
    <label class="chooser">
      <span>Sandbox</span>
      <select value={sandbox} onChange={(event) => choose(event.currentTarget.value)}>
        <Options options={[...names].sort()} />
        {value && value.total > most && <option value={others}>Find another of {grouped(value.total)}…</option>}
      </select>
    </label>
  )
}

/** Names the sandbox of requests without the control API, which has the list. */
function SandboxInput() {
  const { sandbox, rest, query } = route.value
  const choose = ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
    if (input.reportValidity()) go(href('send', rest, Object.fromEntries(query), input.value || 'default'))
  }
  return (
    <label class="chooser">
      <span>Sandbox</span>
      <input value={sandbox} pattern="[A-Za-z0-9_\-]{1,64}" autoComplete="off" spellcheck={false} onChange={choose} />
    </label>
  )
}

const contents: Record<Page, ComponentType> = {
  requests: Requests,
  send: Explorer,
  state: State,
  clock: Clock,
  overrides: Overrides,
  scenarios: Scenarios,
  assumptions: Assumptions,
  coverage: Coverage,
  sandboxes: Sandboxes,
  shadow: Shadow,
  cluster: Cluster
}

function App() {
  const { sandbox, page, rest, unknown } = route.value
  const here = unknown === undefined ? page : undefined
  const isOpen = hasControl.value
  const isFollowed = isOpen && isSeen.value
  useEffect(() => (isFollowed ? follow() : undefined), [sandbox, isFollowed])
  useArrival()
  const collections = useLoad(async () => (isOpen ? (await call('listCollections')).collections : []), sandbox).value
  useEffect(() => {
    labels.value = Object.fromEntries((collections ?? []).map(({ name, label }) => [name, label]))
  }, [collections])
  // The list of requests scrolls, and not the page. Selectors with :has() would cost time whenever a row changes.
  useEffect(() => void document.getElementById('app')?.classList.toggle('fixed', here === 'requests'), [here])
  const Content = contents[page]
  const links = pagesHere.map((name) => ({ text: pageLabel(name), href: href(name), isCurrent: name === here }))
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="name" title={`${api.title} mock`} href={isOff ? base : href('requests')}>
          <img src={icon} alt="" width="24" height="24" />
          <span>{api.title} mock</span>
        </a>
        {!isOff && <Menu label="Pages" class="pages" links={links} />}
        {api.manual && <a href={`${base}/${api.manual}`}>Manual</a>}
        {isOpen && <Palette />}
        {isOpen && <span class={`connection ${connection.value}`}>{worded(connection.value)}</span>}
        {isLocked.value && isDocs && <a href={`__mock/${location.hash}`}>Enter the control token</a>}
        {isOpen ? <SandboxChooser /> : isDocs && <SandboxInput />}
      </header>
      {isOpen && <Outage />}
      <main
        id="main"
        class={here === 'requests' ? `fill ${rest.length > 0 ? 'open' : ''}` : undefined}
        tabIndex={-1}
        key={`${sandbox} ${here}`}
      >
        {unknown !== undefined && <Head title={`There is no page “${unknown}”`} />}
        {unknown === undefined && (isOpen || isDocs ? <Content /> : <Unlock />)}
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

render(<App />, document.getElementById('app') as HTMLElement)
