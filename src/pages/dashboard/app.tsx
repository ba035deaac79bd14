import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useArrival } from './arrival.js'
import { Assumptions } from './assumptions/assumptions.js'
import { isLocked } from './client.js'
import { Clock } from './clock/clock.js'
import { Cluster } from './cluster/cluster.js'
import { pagesHere, useCluster } from './cluster/is-shared.js'
import { Connection } from './connection.js'
import { Coverage } from './coverage.js'
import { follow, isSeen } from './live.js'
import { Overrides } from './overrides/overrides.js'
import { Palette } from './palette/palette.js'
import { Toasts } from './parts/toasts.js'
import { Requests } from './requests/requests.js'
import { explorerAddress, href, type Page, route } from './route.js'
import { SandboxChooser } from './sandbox-chooser.js'
import { Sandboxes } from './sandboxes.js'
import { Scenarios } from './scenarios.js'
import { Send } from './send/send.js'
import { State } from './state/state.js'
import { Unlock } from './unlock.js'

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
