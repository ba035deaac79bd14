import { randomUUID } from 'node:crypto'
import { createPages } from '../../dashboard/serve.js'
import type { Rule } from '../../engine/answers/rule.js'
import { packageVersion } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { once } from '../../engine/contract/once.js'
import { openapiText } from '../../engine/contract/openapi/openapi.js'
import { infoOf } from '../../engine/control/sandboxes.js'
import type { Edition } from '../../engine/ledger/edition.js'
import { createMetrics } from '../../engine/metrics/metrics.js'
import { Traffic } from '../../engine/metrics/traffic.js'
import { Sandbox } from '../../engine/sandbox/sandbox.js'
import type { Sandboxes } from '../../engine/sandbox/sandboxes.js'
import { tokensToName, userWith } from '../../engine/sandbox/users.js'
import { UploadBudget } from '../../engine/serve/body/upload-budget.js'
import type { ControlDoor } from '../../engine/serve/control/control.js'
import { needsTls, type SignInDoor } from '../../engine/serve/control/sign-in.js'
import type { Exchange, SandboxSource } from '../../engine/serve/exchange.js'
import { createGate, type Gate, type RateStore } from '../../engine/serve/gate.js'
import { type CallerOf, clientOf, createCallerOf, usualCookie } from '../../engine/serve/message/caller.js'
import { contain } from '../../engine/serve/message/contain.js'
import { createPartOf, createServe, type Serve, type ServeOptions } from '../../engine/serve/steps.js'
import { createFetch } from '../fetch.js'
import type { Agents } from '../mcp/agents.js'
import { type MockOptions, mockTable, type SettledMock } from '../options/mock-table.js'
import { settle } from '../options/option.js'
import { createActs } from './handle/acts.js'
import { createSandboxHandle } from './handle/sandbox-handle.js'
import type { Host } from './host.js'
import { isControlClosed, mayMakeIn } from './may-make.js'
import { createMockState, type MockState } from './mock-state.js'
import type { CoreMock } from './open-mock.js'
import type { Ask } from './scenarios/drive.js'
import { createScenarios, type Scenarios, type ScenariosParts } from './scenarios/scenarios.js'

/**
 * Creates a mock without anything of Node, which the host provides. Throws an Error that names the valid values if an option is
 * wrong.
 */
export function createCore(given: MockOptions = {}, host: Host = {}): CoreMock {
  const options = settle(mockTable, given)
  const { onProblem = console.error } = options
  const report = (text: string) => contain(console.error, () => onProblem(text))
  const { isExposed = false, url = () => '', realTime = Date.now, mount = '', joined, services, load } = host
  const mockState = createMockState({
    options,
    host,
    report,
    makeMock: () =>
      createCore(
        { ...given, scenario: undefined, onExchange: undefined, resetEvery: undefined },
        { load, realTime, services }
      )
  })
  const { edge, sandboxes, startScenario, reset } = mockState
  /** Existing sandboxes are served meanwhile. A failure is reported to requests that need the start. */
  const prepare = async () => {
    const prepared = mockState.edition.prepareStart({}).catch(() => {})
    if (edge.sandboxes.size === 0) await prepared
  }
  const startAnew = () => {
    reset(({ snapshots }) => snapshots.clear()).catch((error: Error) => report(error.message))
  }
  const traffic = new Traffic()
  const context = contextOf(mockState, options, host, { traffic, scenarios: () => inside.scenarios.all() })
  joined?.reportBy({
    sandboxes: () => sandboxes.list().map((it) => ({ ...infoOf(it), usedAt: it.usedAt })),
    metrics: context.metrics
  })
  const access = createAccess(options, {
    edition: () => mockState.edition,
    sandboxes,
    startAnew,
    nextReset: joined?.nextReset,
    rateStore: joined?.rateStore,
    realTime,
    scenarios: () => inside.scenarios,
    namesSandboxes: services?.upstream === undefined,
    say: report
  })
  const steps = stepsOf({ mockState, options, host, callerOf: access.callerOf, traffic, report })
  const inside = createInnerDoors({
    edition: () => mockState.edition,
    worlds: steps,
    sandboxes,
    edge,
    steps,
    control: {
      token: options.controlToken,
      isClosed: isControlClosed(options),
      isExposed,
      corsOrigin: options.corsOrigin,
      onProblem: report,
      signIn: access.signIn,
      context
    },
    realTime,
    services
  })
  const { scenarios, agents } = inside
  const forward = services?.upstream?.(mockState.edition.ledger)
  const control = options.control === 'on' && inside.control
  const serving = { ...steps, forward, gate: access.gate, control }
  const answer = createServe(serving)
  let isReady = false
  const ready = once(() => {
    const done = prepare()
      .then(() => startScenario.ready)
      .then(() => {
        isReady = true
      })
    // Requests report a failure, and so does `ready`. Without a handler it would end the process.
    done.catch(() => {})
    return done
  })
  const serve: Serve = (request) => (isReady ? answer(request) : ready().then(() => answer(request)))
  const door = createFetch(serve, mount)
  const sandbox: CoreMock['sandbox'] = (name = 'default') =>
    createSandboxHandle(name, {
      worlds: steps,
      // A program may see its own secrets, even if visitors may not.
      context: { ...context, hidesSecrets: false },
      url,
      edge,
      play: scenarios.play,
      onProblem: report
    })
  const database = once(() => sandbox().db)

  return {
    serve,
    partOf: createPartOf(serving),
    report,
    fetch: door.fetch,
    sandbox,
    get db() {
      return database()
    },
    get ready() {
      return ready()
    },
    prepare,
    get scenarios() {
      return scenarios.all()
    },
    sandboxes,
    agents,
    realTime,
    uploads: steps.uploads,
    get edition() {
      return mockState.edition
    },
    adopt: mockState.adopt,
    takeUpOverrides: mockState.takeUpOverrides,
    playStartAgain: () => startScenario.playAgain(mockState.edition),
    reset: async () => {
      await (joined ? joined.cluster.drop('all') : reset())
    },
    async close(drain) {
      sandboxes.close()
      door.close()
      inside.close()
      await drain?.()
      forward?.close()
      steps.fallback?.forward.close()
      await edge.close()
    }
  }
}

/** The context for the rules of the control API. */
function contextOf(
  mockState: MockState,
  { public: isPublic }: SettledMock,
  { joined, problem = () => undefined }: Host,
  { traffic, scenarios }: { traffic: Traffic; scenarios: ControlDoor['context']['scenarios'] }
): ControlDoor['context'] {
  const { sandboxes } = mockState
  const version = packageVersion()
  return {
    sandboxes,
    ledger: () => mockState.edition.ledger,
    start: mockState.startOf,
    prepareStart: (wanted) => mockState.edition.prepareStart(wanted),
    factoryOf: (collection) => mockState.edition.factoryOf(collection),
    scenarios,
    about: {
      version,
      // Random on first use: at the edge there are no random values before the first request.
      instance: once(() => randomUUID()),
      contract: () => mockState.edition.about()
    },
    hidesSecrets: isPublic,
    problem,
    cluster: joined?.cluster,
    metrics: createMetrics({ traffic, sandboxes, version, more: joined?.metrics })
  }
}

interface InnerDoorParts extends Omit<ScenariosParts, 'ask'> {
  steps: Omit<ServeOptions, 'gate' | 'control'>
  control: Omit<ControlDoor, 'acts' | 'agents' | 'isBound'>
  realTime: () => number
  services: Host['services']
}

/** The part of a mock that sends requests to it: the steps of scenarios, and agents. */
interface InnerDoors {
  scenarios: Scenarios
  agents: Agents | undefined
  /** For requests from outside. */
  control: ControlDoor
  close(): void
}

/** Requests from inside bypass the guards against others. Those of agents stay in their sandbox. */
function createInnerDoors({ steps, control, realTime, services, ...of }: InnerDoorParts): InnerDoors {
  const { worlds, sandboxes } = of
  const contractIn = (sandbox: string) => worlds.contract(worlds.useSandbox(sandbox))

  const open = (isBound: boolean) => {
    const ask: Ask = (target, init) => door.fetch(new URL(target, 'http://mock.invalid'), init)
    const scenarios = createScenarios({ ...of, ask })
    const acts = createActs({ ask, scenarios, contractIn, isExposed: control.isExposed, services })
    const complete: ControlDoor = { ...control, acts, agents: answer, isBound }
    const guarded = { ...complete, token: undefined, isClosed: false }
    const door = createFetch(createServe({ ...steps, gate: undefined, control: guarded }))
    return { ask, scenarios, control: complete, close: () => door.close() }
  }
  const answer: ControlDoor['agents'] = async (exchange) => {
    if (!agents) throw new Refusal('node-needed', { detail: 'This mock has no Node around it, so it takes no agents.' })
    return agents.answer(exchange)
  }
  const free = open(false)
  const bound = open(true)
  const agents = services?.agents({ ask: free.ask, askBound: bound.ask, contractIn, sandboxes, realTime })
  return {
    scenarios: free.scenarios,
    agents,
    control: free.control,
    close() {
      free.close()
      bound.close()
    }
  }
}

/** Authentication, guards before it, and browser sign-in. */
interface Access {
  callerOf: CallerOf
  gate: Gate
  signIn: SignInDoor
}

interface AccessParts {
  edition: () => Edition
  sandboxes: Sandboxes
  startAnew: () => void
  rateStore: RateStore | undefined
  /** When the next full reset is. Undefined: this process resets by itself. */
  nextReset: (() => number | undefined) | undefined
  /** Milliseconds since 1970. */
  realTime: () => number
  scenarios: () => Scenarios
  /** Whether tokens may name a sandbox. */
  namesSandboxes: boolean
  /** Receives remarks. */
  say: (text: string) => void
}

/** Throws an Error if the options name a user that the mock does not start with. */
function createAccess(options: SettledMock, inside: AccessParts): Access {
  const { tokenCookie: cookie = usualCookie, anonymous, trustProxy: proxies, corsOrigin } = options
  const trustsCookie = options.tokenCookie !== undefined
  const { edition, sandboxes, startAnew, nextReset, rateStore, realTime, namesSandboxes } = inside
  if (needsTls(cookie) && proxies === 0) {
    inside.say(
      `tokenCookie is ${cookie}: browsers take a cookie of this name over HTTPS only. Put a proxy with TLS before the mock, or leave the prefix out.`
    )
  }
  if (anonymous !== undefined) checkAnonymous(anonymous, edition())
  const callerOf = createCallerOf({ cookie, trustsCookie, anonymous, namesSandboxes })
  return {
    callerOf,
    gate: createGate({
      isPublic: options.public,
      cookieSecret: options.cookieSecret,
      rateLimit: options.rateLimit,
      proxies,
      resetEvery: options.resetEvery,
      startAnew,
      nextReset,
      rateStore,
      corsOrigin,
      controlOperation(method, path) {
        if (options.control === 'off') return undefined
        const { choices, contractOf } = edition()
        const match = contractOf(choices).matchControl(method === 'HEAD' ? 'GET' : method, path)
        return match.kind === 'operation' ? match.operation : undefined
      },
      sandboxes,
      callerOf,
      realTime
    }),
    signIn: {
      cookie,
      trustsCookie,
      corsOrigin,
      isSecure: ({ request }) => clientOf(request, proxies).isSecure,
      isShared: options.public || options.controlToken !== undefined,
      scenarios: () => [...inside.scenarios().all().keys()],
      play: (name, scenario, gone) => inside.scenarios().play(name, scenario, { gone }),
      rowsOf: (name) => sandboxes.existing(name)?.rows ?? edition().startOf().rows
    }
  }
}

/** A wrong key would reject every request without a token. */
function checkAnonymous(key: string, edition: Edition): void {
  const { rows } = edition.startOf()
  if (userWith(edition.api, rows, key)) return
  const known = tokensToName(edition.api, rows).join(', ')
  throw new Error(`anonymous is ${key}: give the key of a user, one of ${known}.`)
}

interface StepsParts {
  mockState: MockState
  options: SettledMock
  host: Host
  callerOf: CallerOf
  traffic: Traffic
  report: (text: string) => void
}

/** What the steps need for any request. */
function stepsOf(of: StepsParts): Omit<ServeOptions, 'gate' | 'control'> {
  const { mockState, options, host, callerOf, traffic, report } = of
  const { isExposed = false, waits = true, joined, services } = host
  const { edge, sandboxes, startOf, contractOf: contract } = mockState
  const nobody = once(() => Sandbox.start('default', startOf(), sandboxes.limits.journal))
  return {
    tokenCookie: options.tokenCookie ?? usualCookie,
    // Milliseconds.
    maxDelay: options.public ? 5000 : 3_600_000,
    uploads: new UploadBudget(options.maxUploadBytes),
    sandboxBytes: sandboxes.limits.bytes,
    findSandbox: joined ? orNobody(sandboxes, joined.owns, nobody) : (name) => sandboxes.find(name),
    // Visitors of a public mock never see an error about a dropped sandbox.
    useSandbox: (name) => (options.public ? sandboxes.takeIn(name) : sandboxes.use(name)),
    lookAtSandbox: (name, isAnybodys) => sandboxes.look(name, isAnybodys),
    callerOf,
    tellsTokens: !options.public && !isExposed,
    waits,
    contract,
    fallback:
      options.fallback === undefined ? undefined : services?.fallback(options.fallback, mockState.edition.ledger),
    page: createPages({
      hasControl: options.control === 'on' && !isControlClosed(options),
      openapi: (asked) => openapiFor(asked, options, mockState)
    }),
    owners: joined?.owners,
    mayMake: joined && mayMakeIn({ options, callerOf, start: nobody, contract }),
    edge,
    onExchange(entry) {
      traffic.count(entry)
      contain(
        ({ message }) => report(`onExchange: ${message}`),
        () => options.onExchange?.(entry)
      )
    },
    strict: options.strict,
    own: () => {
      const { beside, factoryOf } = mockState.edition
      return { rules: beside.rules as ReadonlyMap<string, Rule>, factoryOf }
    },
    corsOrigin: options.corsOrigin,
    allowHost: options.allowHost
  }
}

/**
 * Requests that belong to no sandbox are answered as if in the default one. If that lives in another process, they
 * get a private copy.
 */
function orNobody(
  sandboxes: Sandboxes,
  owns: (name: string) => boolean,
  nobody: () => Sandbox
): SandboxSource['findSandbox'] {
  return (name) => {
    const found = sandboxes.find(name)
    return found || name !== 'default' || owns(name) ? found : nobody()
  }
}

/** The OpenAPI document, with the address that the client uses. */
function openapiFor({ host, request }: Exchange, options: SettledMock, mockState: MockState): string {
  const { edition, sandboxes } = mockState
  const scheme = clientOf(request, options.trustProxy).isSecure ? 'https' : 'http'
  const server = `${scheme}://${host ?? 'localhost'}${request.mount}`
  const { choices } = sandboxes.find('default') ?? edition
  return openapiText(edition.contractOf(choices), { entries: edition.ledger, choices }, server)
}
