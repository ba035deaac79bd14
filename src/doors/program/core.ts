import { randomUUID } from 'node:crypto'
import { readLedger } from '../../contract/ledger.js'
import { type Choices, packageVersion } from '../../contract/load.js'
import { once } from '../../contract/once.js'
import { openapiText } from '../../contract/openapi/openapi.js'
import { carryChoices, createEdition, type Edition } from '../../mock/ledger/edition.js'
import { createMetrics } from '../../mock/metrics/metrics.js'
import { Traffic } from '../../mock/metrics/traffic.js'
import { Edge } from '../../mock/persistence/edge.js'
import { History } from '../../mock/sandbox/history.js'
import { Sandbox, takeIn } from '../../mock/sandbox/sandbox.js'
import { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import { type StartWish, withMasking } from '../../mock/sandbox/starts.js'
import { createPages } from '../../pages/serve.js'
import { infoOf } from '../../rules/control/sandboxes.js'
import type { OwnRule } from '../../rules/own/own.js'
import type { ControlDoor } from '../../serve/control/control.js'
import type { Exchange, Worlds } from '../../serve/exchange.js'
import { clientOf } from '../../serve/message/client.js'
import { contain } from '../../serve/message/contain.js'
import { createServe, type ServeOptions } from '../../serve/serve.js'
import { createFetch } from '../fetch.js'
import { type MockOptions, mockTable, type SettledMock } from '../options/mock-table.js'
import { sandboxLimits } from '../options/sandbox-limits.js'
import { settle } from '../options/settle.js'
import { createAccess } from './access.js'
import { checkEdition } from './edition/check-edition.js'
import { checkOwnRows } from './edition/check-fixtures.js'
import { definitionsOf } from './edition/definitions.js'
import { readOwnFixtures, startOptions, withOwnFixtures } from './edition/own-fixtures.js'
import { createSandboxHandle } from './handle/sandbox-handle.js'
import { createInside } from './inside.js'
import type { CoreMock } from './open-mock.js'
import { createResets } from './resets.js'
import { createStartScenario } from './scenarios/start-scenario.js'
import { createStartOverrides } from './start-overrides.js'
import type { Surroundings } from './surroundings.js'
import { mayMakeIn, orNobody, worldsOf } from './worlds.js'

/**
 * Creates a mock that needs nothing of Node: that comes with the surroundings. Throws an Error that names the good
 * values if an option is wrong.
 */
export function createCore(given: MockOptions = {}, surroundings: Surroundings = {}): CoreMock {
  const options = settle(mockTable, given)
  const { public: isPublic, corsOrigin } = options
  const { onProblem = console.error } = options
  const report = (text: string) => contain(console.error, () => onProblem(text))
  const {
    edge = Edge.inMemory(),
    isExposed = false,
    url = () => '',
    isReady = () => true,
    realTime = Date.now,
    waits = true,
    load,
    mount = '',
    joined,
    services
  } = surroundings
  const own = readOwnFixtures(options.fixtures)
  const definitions = withOwnFixtures(definitionsOf(options, report, load), own, options)
  let edition = createEdition(definitions, startOptions(options, own), realTime)
  // Checks a user's own set before the first request.
  if (own) edition.startOf()
  if (options.contracts !== undefined) checkEdition(edition, { folder: options.contracts, needed: readLedger() })
  const overrides = createStartOverrides(options.overrides, edge.sandboxes, () => edition.contractOf(edition.choices))
  const startScenario = createStartScenario(options.scenario, () =>
    createCore(
      { ...given, scenario: undefined, onExchange: undefined, resetEvery: undefined },
      { load, realTime, services }
    )
  )
  const startOf = (wanted: StartWish = {}) => {
    const start = { ...edition.startOf(wanted), overrides: overrides.list, counts: wanted.counts }
    return Object.keys(wanted).length > 0 ? start : startScenario.on(start)
  }
  checkOwnRows(edition)
  const sandboxes = new Sandboxes(
    edge.sandboxes,
    () => startOf(),
    { ...sandboxLimits(options), ...(joined?.elsewhere && { elsewhere: joined.elsewhere }) },
    realTime,
    (name) => edge.forget(name),
    joined?.owns
  )
  // Random on first use: at the edge there is no chance before the first request.
  const about = {
    version: packageVersion(),
    instance: once(() => joined?.instance ?? randomUUID()),
    contract: () => edition.about()
  }
  const takeInOwn = (sandbox: Sandbox) => takeIn(sandbox, edition.contractOf(edition.choices).collections.keys())
  const readied = (sandbox: Sandbox) => {
    takeInOwn(sandbox)
    if (isPublic) sandbox.choices = withMasking(sandbox.choices)
  }
  for (const sandbox of edge.sandboxes.values()) readied(sandbox)
  joined?.onRead(readied)
  edge.startWith(() => edition.choices)
  const { reset, dropOthers } = createResets(sandboxes, edge, startOf, joined?.owns)
  const startAnew = () => {
    reset(({ snapshots }) => snapshots.clear()).catch((error: Error) => report(error.message))
  }
  const { callerOf, entrance, signIn } = createAccess(options, {
    edition: () => edition,
    sandboxes,
    startAnew,
    nextReset: joined?.nextReset,
    rateStore: joined?.rateStore,
    realTime,
    scenarios: () => scenarios,
    namesSandboxes: services?.upstream === undefined,
    say: report
  })
  const nobody = once(() => Sandbox.start('default', startOf(), sandboxes.limits.journal))
  const contract: Worlds['contract'] = ({ choices }) => edition.contractOf(choices)
  const worlds: Worlds = {
    ...worldsOf(options, sandboxes),
    ...(joined && { findSandbox: orNobody(sandboxes, joined.owns, nobody) }),
    callerOf,
    tellsTokens: !isPublic && !isExposed,
    waits,
    contract
  }
  const traffic = new Traffic()
  const metrics = createMetrics({ traffic, sandboxes, version: about.version, more: joined?.metrics })
  joined?.tells({
    has: (name) => edge.sandboxes.has(name),
    count: () => edge.sandboxes.size - Number(edge.sandboxes.has('default')),
    startAnew,
    dropOthers,
    sandboxes: () => sandboxes.list().map((it) => ({ ...infoOf(it), usedAt: it.usedAt })),
    metrics
  })
  const context: ControlDoor['context'] = {
    sandboxes,
    ledger: () => edition.ledger,
    start: startOf,
    prepareStart: (wanted) => edition.prepareStart(wanted),
    factoryOf: (collection) => edition.factoryOf(collection),
    scenarios: () => scenarios.all(),
    about,
    hidesSecrets: isPublic,
    isReady,
    cluster: joined?.cluster,
    metrics
  }
  const hasControl = options.control === 'on'
  const isClosed = isPublic && options.controlToken === undefined
  const forward = services?.upstream?.(edition.ledger)
  const fallback = options.fallback === undefined ? undefined : services?.fallback(options.fallback, edition.ledger)
  const page = createPages({
    hasControl: hasControl && !isClosed,
    openapi: (asked) => openapiFor(asked, options, edition, (sandboxes.find('default') ?? edition).choices)
  })
  const control = {
    token: options.controlToken,
    isClosed,
    isExposed,
    corsOrigin,
    onProblem: report,
    signIn,
    context
  }
  const steps: Omit<ServeOptions, 'entrance' | 'control'> = {
    fallback,
    page,
    places: joined?.places,
    mayMake: joined && mayMakeIn({ options, callerOf, start: nobody, contract }),
    ...worlds,
    edge,
    onExchange(entry) {
      traffic.count(entry)
      contain(
        ({ message }) => report(`onExchange: ${message}`),
        () => options.onExchange?.(entry)
      )
    },
    strict: options.strict,
    own: () => ({ rules: edition.beside.rules as ReadonlyMap<string, OwnRule>, factoryOf: edition.factoryOf }),
    corsOrigin,
    allowHost: options.allowHost
  }
  const inside = createInside({ edition: () => edition, worlds, sandboxes, edge, steps, control, realTime, services })
  const { scenarios, agents } = inside
  const serve = startScenario.gate(createServe({ ...steps, forward, entrance, control: hasControl && inside.control }))

  const door = createFetch(serve, mount)

  return {
    serve,
    report,
    fetch: door.fetch,
    sandbox: (name = 'default') =>
      createSandboxHandle(name, { worlds, context, url, edge, play: scenarios.play, onProblem: report }),
    ready: startScenario.ready,
    get scenarios() {
      return scenarios.all()
    },
    sandboxes,
    agents,
    realTime,
    uploads: worlds.uploads,
    get edition() {
      return edition
    },
    adopt(next) {
      for (const sandbox of edge.sandboxes.values()) {
        sandbox.choices = carryChoices(sandbox.choices, edition, next)
        // Earlier moments have choices of the earlier edition.
        sandbox.history = History.begin(sandbox)
      }
      edition = next
      for (const sandbox of edge.sandboxes.values()) takeInOwn(sandbox)
    },
    takeUpOverrides: overrides.takeUp,
    playStartAgain: () => startScenario.playAgain(edition),
    reset: async () => {
      await (joined ? joined.cluster.drop('all') : reset())
    },
    async close(drain) {
      sandboxes.close()
      door.close()
      inside.close()
      await drain?.()
      forward?.close()
      fallback?.forward.close()
      await edge.close()
    }
  }
}

/** The OpenAPI document, with the address that the client uses. */
function openapiFor({ host, request }: Exchange, options: SettledMock, edition: Edition, choices: Choices): string {
  const scheme = clientOf(request, options.trustProxy).isSecure ? 'https' : 'http'
  const server = `${scheme}://${host ?? 'localhost'}${request.mount}`
  return openapiText(edition.contractOf(choices), { entries: edition.ledger, choices }, server)
}
