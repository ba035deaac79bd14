import { randomUUID } from 'node:crypto'
import { createPages } from '../../dashboard/serve.js'
import type { Contract } from '../../engine/contract/contract.js'
import { packageVersion } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { once } from '../../engine/contract/once.js'
import { openapiText } from '../../engine/contract/openapi/openapi.js'
import { Invalid } from '../../engine/contract/pydantic/explain.js'
import { infoOf } from '../../engine/control/sandboxes.js'
import { callProblems } from '../../engine/control/scenarios/check-scenario.js'
import { requestOfCall } from '../../engine/control/scenarios/request.js'
import { needsTls, type SignInDoor } from '../../engine/control/sign-in.js'
import { type AsyncControlRules, type ControlDoor, createControl } from '../../engine/control/steps.js'
import { createMetrics, Traffic } from '../../engine/metrics/metrics.js'
import { Sandbox } from '../../engine/sandbox/sandbox.js'
import { counted, isActive, tokensToName, userOf, userWith } from '../../engine/serve/admit.js'
import { UploadBudget } from '../../engine/serve/body/limits.js'
import type { Exchange } from '../../engine/serve/exchange.js'
import { createGate, type Gate } from '../../engine/serve/gate.js'
import {
  type CallerOf,
  clientOf,
  createCallerOf,
  isControlPath,
  isSecret,
  readTarget,
  usualCookie
} from '../../engine/serve/message/caller.js'
import { contain } from '../../engine/serve/message/contain.js'
import type { Request } from '../../engine/serve/message/message.js'
import { createPartOf, createServe, type Serve, type ServeOptions } from '../../engine/serve/steps.js'
import { createFetch } from '../fetch.js'
import { type MockOptions, mockTable, type SettledMock } from '../options/mock-table.js'
import { settle } from '../options/option.js'
import { createSandboxHandle } from './handle/sandbox-handle.js'
import type { Host } from './host.js'
import { createMockState, type MockState } from './mock-state.js'
import type { CoreMock } from './open-mock.js'
import { type Ask, answerTo } from './scenarios/drive.js'
import { createScenarios, type Scenarios } from './scenarios/scenarios.js'

interface Inside {
  options: SettledMock
  host: Host
  mockState: MockState
  /** Reports errors outside an exchange, and remarks. */
  report: (text: string) => void
}

/** Creates a mock without Node's parts, which the host has. Throws an Error that names an option's valid values. */
export function createCore(input: MockOptions = {}, host: Host = {}): CoreMock {
  const options = settle(mockTable, input)
  const { onProblem = console.error } = options
  const report = (text: string) => contain(console.error, () => onProblem(text))
  const { url = () => '', realTime = Date.now, mount = '', joined, services, load } = host
  const mockState = createMockState({
    options,
    host,
    report,
    makeMock: () =>
      createCore(
        { ...input, scenario: undefined, onExchange: undefined, resetEvery: undefined },
        { load, realTime, services }
      )
  })
  const { edge, sandboxes, startScenario, reset } = mockState
  const inside: Inside = { options, host, mockState, report }
  /** Existing sandboxes are served meanwhile. A failure is reported to requests that need the start. */
  const prepare = async () => {
    const prepared = mockState.edition.prepareStart({}).catch(() => {})
    if (edge.sandboxes.size === 0) await prepared
  }
  const traffic = new Traffic()
  const context = contextOf(inside, traffic, {
    scenarios: () => scenarios.all(),
    shadowReport: () => forward?.shadowReport?.() ?? null
  })
  joined?.reportBy({
    sandboxes: () => sandboxes.list().map((it) => ({ ...infoOf(it), usedAt: it.usedAt })),
    metrics: context.metrics
  })
  const callerOf = callerIn(inside)
  const gate = gateOf(inside, callerOf)
  const steps = stepsOf(inside, callerOf, traffic, context)
  const innerDoors = createInnerDoors(inside, steps, context)
  const { scenarios, agents, control } = innerDoors
  const forward = services?.upstream?.(mockState.edition.ledger)
  const serving = { ...steps, forward, gate, control: options.control === 'on' && createControl(control, steps) }
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
  const door = createFetch(serve, mount, host.cookies)
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
      innerDoors.close()
      await drain?.()
      await forward?.close()
      steps.fallback?.forward.close()
      await edge.close()
    }
  }
}

function contextOf(
  { options, host: { joined, problem = () => undefined }, mockState }: Inside,
  traffic: Traffic,
  { scenarios, shadowReport }: Pick<ControlDoor['context'], 'scenarios' | 'shadowReport'>
): ControlDoor['context'] {
  const { sandboxes } = mockState
  const version = packageVersion()
  return {
    sandboxes,
    ledger: () => mockState.edition.ledger,
    start: mockState.startOf,
    prepareStart: (wish) => mockState.edition.prepareStart(wish),
    factoryOf: (collection) => mockState.edition.factoryOf(collection),
    scenarios,
    about: {
      version,
      // Random on first use: at the edge there are no random values before the first request.
      instance: once(() => randomUUID()),
      contract: () => mockState.edition.about()
    },
    hidesSecrets: options.public,
    problem,
    cluster: joined?.cluster,
    shadowReport,
    metrics: createMetrics({ traffic, sandboxes, version, prefix: mockState.edition.api.prefix, more: joined?.metrics })
  }
}

/**
 * The part of a mock that sends requests to it: the steps of scenarios, and agents. Its requests bypass the guards against
 * others. Those of agents stay in their sandbox.
 */
function createInnerDoors(
  inside: Inside,
  steps: Omit<ServeOptions, 'gate' | 'control'>,
  context: ControlDoor['context']
) {
  const { options, host, mockState, report } = inside
  const { isExposed = false, services, realTime = Date.now } = host
  const { sandboxes } = mockState
  const contractIn = (sandbox: string) => steps.contract(steps.useSandbox(sandbox))

  const open = (isBound: boolean) => {
    const ask: Ask = (target, init) => fetchDoor.fetch(new URL(target, 'http://mock.invalid'), init)
    const scenarios = createScenarios(mockState, steps, ask)
    const control: ControlDoor = {
      context,
      signIn: signInDoor(inside, scenarios),
      token: options.controlToken,
      isClosed: isControlClosed(options),
      isExposed,
      corsOrigin: options.corsOrigin,
      onProblem: report,
      acts: createActs(host, ask, scenarios, contractIn),
      agents: answer,
      isBound
    }
    const guarded = { ...control, token: undefined, isClosed: false }
    const fetchDoor = createFetch(createServe({ ...steps, gate: undefined, control: createControl(guarded, steps) }))
    return { ask, scenarios, control, close: () => fetchDoor.close() }
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

/** The operations of the control API that send requests, and wait for the answers. */
function createActs(
  { isExposed = false, services }: Host,
  ask: Ask,
  scenarios: Scenarios,
  contractIn: (sandbox: string) => Contract
): AsyncControlRules {
  return {
    playScenario: (sandbox, { path, query }, gone) =>
      scenarios.play(sandbox, path.name, { keepsJournal: query.keep_journal, gone }),
    playGiven: (sandbox, { body }, gone) => scenarios.play(sandbox, body, { gone }),
    nextScene: (sandbox, { path, query }, gone) =>
      scenarios.nextScene(sandbox, path.name, { keepsJournal: query.keep_journal, gone }),

    async callOperation(sandbox, { body: call }, gone) {
      const contract = contractIn(sandbox)
      const problems = callProblems(contract, call)
      if (problems.length > 0) throw new Invalid(problems.map((it) => ({ ...it, loc: ['body', ...it.loc] })))
      return answerTo(requestOfCall(contract, call), ask, { 'X-Mock-Sandbox': sandbox }, gone)
    },

    async verifyServer(_, { body }) {
      if (!services)
        throw new Refusal('node-needed', { detail: 'This mock has no Node around it, so it asks no server.' })
      // Others may know the control token. They must not call servers that only this machine can reach.
      if (isExposed) throw new Refusal('exposed')
      try {
        return await services.verify(body)
      } catch (error) {
        throw new Refusal('cannot-verify', { detail: (error as Error).message })
      }
    }
  }
}

/** Who sends a request. Throws an Error if the options name a user that the mock does not start with. */
function callerIn({ options, host: { services }, mockState, report }: Inside): CallerOf {
  const { tokenCookie, anonymous, trustProxy } = options
  if (tokenCookie !== undefined && needsTls(tokenCookie) && trustProxy === 0) {
    report(
      `tokenCookie is ${tokenCookie}: browsers take a cookie of this name over HTTPS only. Put a proxy with TLS before the mock, or leave the prefix out.`
    )
  }
  // A wrong key would reject every request without a token.
  if (anonymous !== undefined) {
    const { api, startOf } = mockState.edition
    const { rows } = startOf()
    if (!userWith(api, rows, anonymous))
      throw new Error(
        `anonymous is ${anonymous}: give the key of a user, one of ${tokensToName(api, rows).join(', ')}.`
      )
  }
  return createCallerOf({
    cookie: tokenCookie ?? usualCookie,
    trustsCookie: tokenCookie !== undefined,
    anonymous,
    // The tokens of a real service are its own.
    namesSandboxes: services?.upstream === undefined,
    keys: mockState.edition.api.document?.keys
  })
}

function gateOf({ options, host, mockState, report }: Inside, callerOf: CallerOf): Gate {
  const { joined, realTime = Date.now } = host
  return createGate({
    isPublic: options.public,
    cookieSecret: options.cookieSecret,
    rateLimit: options.rateLimit,
    proxies: options.trustProxy,
    resetEvery: options.resetEvery,
    startAnew() {
      mockState.reset(({ snapshots }) => snapshots.clear()).catch((error: Error) => report(error.message))
    },
    nextReset: joined?.nextReset,
    rateStore: joined?.rateStore,
    corsOrigin: options.corsOrigin,
    controlOperation(method, path) {
      if (options.control === 'off') return undefined
      const { choices, contractOf } = mockState.edition
      const match = contractOf(choices).matchControl(method === 'HEAD' ? 'GET' : method, path)
      return match.kind === 'operation' ? match.operation : undefined
    },
    sandboxes: mockState.sandboxes,
    callerOf,
    realTime
  })
}

function signInDoor({ options, mockState }: Inside, scenarios: Scenarios): SignInDoor {
  return {
    cookie: options.tokenCookie ?? usualCookie,
    trustsCookie: options.tokenCookie !== undefined,
    corsOrigin: options.corsOrigin,
    isSecure: ({ request }) => clientOf(request, options.trustProxy).isSecure,
    isShared: options.public || options.controlToken !== undefined,
    scenarios: () => [...scenarios.all().keys()],
    play: (name, scenario, gone) => scenarios.play(name, scenario, { gone }),
    rowsOf: (name) => mockState.sandboxes.existing(name)?.rows ?? mockState.edition.startOf().rows
  }
}

function isControlClosed(options: SettledMock): boolean {
  return options.public && options.controlToken === undefined
}

/**
 * Whether a request may create its sandbox, since each one costs the engine memory. One whose token is refused may not. `start`
 * is a sandbox as it starts.
 */
function mayMakeIn(
  { options, mockState }: Inside,
  callerOf: CallerOf,
  start: () => Sandbox
): (request: Request, name: string) => boolean {
  const { control, controlToken: token } = options
  return (request, name) => {
    if (name === 'default') return true
    const { path, search } = readTarget(request)
    const { headers, method } = request
    const sandbox = start()
    const { key } = counted(callerOf(request, path), (id) => sandbox.choices[id])
    const contract = mockState.contractOf(sandbox)
    if (isControlPath(path)) {
      if (control === 'off' || isControlClosed(options)) return false
      const match = contract.matchControl(method, path)
      if (match.kind !== 'operation') return false
      const tokens = [headers['x-mock-control-token'], key]
      return match.operation.open || token === undefined || tokens.some((it) => isSecret(it, token))
    }
    // An answer may be forced for any client.
    if (sandbox.overrides.list.length > 0 || headers.prefer !== undefined || /(^|&)__/.test(search)) return true
    const match = contract.match(method, path)
    if (match.kind !== 'operation' || (match.operation.open && key === undefined)) return true
    const { api } = contract
    const user = userOf(api, sandbox.rows, key, (id) => sandbox.choices[id])
    return isActive(api, user)
  }
}

function stepsOf(
  inside: Inside,
  callerOf: CallerOf,
  traffic: Traffic,
  { cluster, shadowReport }: ControlDoor['context']
): Omit<ServeOptions, 'gate' | 'control'> {
  const { options, host, mockState, report } = inside
  const { isExposed = false, waits = true, joined, services } = host
  const { edge, sandboxes, startOf } = mockState
  const spare = once(() => Sandbox.start('default', startOf(), sandboxes.limits.journal))
  return {
    tokenCookie: options.tokenCookie ?? usualCookie,
    // Milliseconds.
    maxDelay: options.public ? 5000 : 3_600_000,
    uploads: new UploadBudget(options.maxUploadBytes),
    sandboxBytes: sandboxes.limits.bytes,
    // Requests of no sandbox are answered as if in the default one. If that lives elsewhere, from a private copy.
    findSandbox: (name) =>
      sandboxes.find(name) ?? (joined && name === 'default' && !joined.owns(name) ? spare() : undefined),
    // Visitors of a public mock never see an error about a dropped sandbox.
    useSandbox: (name) => (options.public ? sandboxes.takeIn(name) : sandboxes.use(name)),
    lookAtSandbox: (name, isAnybodys) => sandboxes.look(name, isAnybodys),
    callerOf,
    tellsTokens: !options.public && !isExposed,
    waits,
    contract: ({ choices }) => mockState.edition.contractOf(choices),
    fallback:
      options.fallback === undefined ? undefined : services?.fallback(options.fallback, mockState.edition.ledger),
    page: createPages({
      hasControl: options.control === 'on' && !isControlClosed(options),
      openapi: (request) => openapiFor(request, options, mockState),
      more: () => [...(cluster ? ['cluster'] : []), ...(shadowReport() ? ['shadow'] : [])],
      api: mockState.edition.api.document && mockState.edition.api
    }),
    owners: joined?.owners,
    mayMake: joined && mayMakeIn(inside, callerOf, spare),
    edge,
    onExchange(entry) {
      traffic.count(entry)
      contain(
        ({ message }) => report(`onExchange: ${message}`),
        // The journal may not have packed it yet.
        () => options.onExchange?.({ ...entry })
      )
    },
    strict: options.strict,
    edition: () => mockState.edition,
    corsOrigin: options.corsOrigin,
    allowHost: options.allowHost
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
