import { randomUUID } from 'node:crypto'
import { packageVersion } from '../../contract/load.js'
import { once } from '../../contract/once.js'
import { createMetrics } from '../../mock/metrics/metrics.js'
import { Traffic } from '../../mock/metrics/traffic.js'
import { infoOf } from '../../rules/control/sandboxes.js'
import type { ControlDoor } from '../../serve/control/control.js'
import { contain } from '../../serve/message/contain.js'
import { createPartOf } from '../../serve/part.js'
import { createServe, type Serve } from '../../serve/serve.js'
import { createFetch } from '../fetch.js'
import { type MockOptions, mockTable, type SettledMock } from '../options/mock-table.js'
import { settle } from '../options/settle.js'
import { createAccess } from './access.js'
import { type Contents, createContents } from './contents.js'
import { createSandboxHandle } from './handle/sandbox-handle.js'
import { createInside } from './inside.js'
import { isControlClosed } from './may-make.js'
import type { CoreMock } from './open-mock.js'
import { stepsOf } from './steps.js'
import type { Surroundings } from './surroundings.js'

/**
 * Creates a mock that needs nothing of Node: that comes with the surroundings. Throws an Error that names the good
 * values if an option is wrong.
 */
export function createCore(given: MockOptions = {}, surroundings: Surroundings = {}): CoreMock {
  const options = settle(mockTable, given)
  const { onProblem = console.error } = options
  const report = (text: string) => contain(console.error, () => onProblem(text))
  const { isExposed = false, url = () => '', realTime = Date.now, mount = '', joined, services, load } = surroundings
  const contents = createContents({
    options,
    surroundings,
    report,
    makeMock: () =>
      createCore(
        { ...given, scenario: undefined, onExchange: undefined, resetEvery: undefined },
        { load, realTime, services }
      )
  })
  const { edge, sandboxes, startScenario, reset } = contents
  /** Where sandboxes are there, they are served meanwhile. Where it fails, who needs the start hears of it. */
  const prepare = async () => {
    const prepared = contents.edition.prepareStart({}).catch(() => {})
    if (edge.sandboxes.size === 0) await prepared
  }
  const startAnew = () => {
    reset(({ snapshots }) => snapshots.clear()).catch((error: Error) => report(error.message))
  }
  const traffic = new Traffic()
  const context = contextOf(contents, options, surroundings, { traffic, scenarios: () => inside.scenarios.all() })
  joined?.tells({
    sandboxes: () => sandboxes.list().map((it) => ({ ...infoOf(it), usedAt: it.usedAt })),
    metrics: context.metrics
  })
  const access = createAccess(options, {
    edition: () => contents.edition,
    sandboxes,
    startAnew,
    nextReset: joined?.nextReset,
    rateStore: joined?.rateStore,
    realTime,
    scenarios: () => inside.scenarios,
    namesSandboxes: services?.upstream === undefined,
    say: report
  })
  const steps = stepsOf({ contents, options, surroundings, callerOf: access.callerOf, traffic, report })
  const inside = createInside({
    edition: () => contents.edition,
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
  const forward = services?.upstream?.(contents.edition.ledger)
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
      // A program may see what it has put in, also where visitors may not.
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
      return contents.edition
    },
    adopt: contents.adopt,
    takeUpOverrides: contents.takeUpOverrides,
    playStartAgain: () => startScenario.playAgain(contents.edition),
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

/** What the rules of the control API get. */
function contextOf(
  contents: Contents,
  { public: isPublic }: SettledMock,
  { joined, problem = () => undefined }: Surroundings,
  { traffic, scenarios }: { traffic: Traffic; scenarios: ControlDoor['context']['scenarios'] }
): ControlDoor['context'] {
  const { sandboxes } = contents
  const version = packageVersion()
  return {
    sandboxes,
    ledger: () => contents.edition.ledger,
    start: contents.startOf,
    prepareStart: (wanted) => contents.edition.prepareStart(wanted),
    factoryOf: (collection) => contents.edition.factoryOf(collection),
    scenarios,
    about: {
      version,
      // Random on first use: at the edge there is no chance before the first request.
      instance: once(() => randomUUID()),
      contract: () => contents.edition.about()
    },
    hidesSecrets: isPublic,
    problem,
    cluster: joined?.cluster,
    metrics: createMetrics({ traffic, sandboxes, version, more: joined?.metrics })
  }
}
