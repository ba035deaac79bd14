import { once } from '../../contract/once.js'
import { openapiText } from '../../contract/openapi/openapi.js'
import type { Traffic } from '../../mock/metrics/traffic.js'
import { Sandbox } from '../../mock/sandbox/sandbox.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import { createPages } from '../../pages/serve.js'
import type { OwnRule } from '../../rules/own/own.js'
import { UploadBudget } from '../../serve/body/upload-budget.js'
import type { Exchange, Worlds } from '../../serve/exchange.js'
import { type CallerOf, usualCookie } from '../../serve/message/caller.js'
import { clientOf } from '../../serve/message/client.js'
import { contain } from '../../serve/message/contain.js'
import type { ServeOptions } from '../../serve/serve.js'
import type { SettledMock } from '../options/mock-table.js'
import type { Contents } from './contents.js'
import { isControlClosed, mayMakeIn } from './may-make.js'
import type { Surroundings } from './surroundings.js'

interface StepsParts {
  contents: Contents
  options: SettledMock
  surroundings: Surroundings
  callerOf: CallerOf
  traffic: Traffic
  report: (text: string) => void
}

/** What the steps of a request need, whoever sends it. */
export function stepsOf(of: StepsParts): Omit<ServeOptions, 'gate' | 'control'> {
  const { contents, options, surroundings, callerOf, traffic, report } = of
  const { isExposed = false, waits = true, joined, services } = surroundings
  const { edge, sandboxes, startOf, contractOf: contract } = contents
  const nobody = once(() => Sandbox.start('default', startOf(), sandboxes.limits.journal))
  return {
    tokenCookie: options.tokenCookie ?? usualCookie,
    jsonValues: options.maxJsonValues,
    maxDelay: options.maxDelay,
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
      options.fallback === undefined ? undefined : services?.fallback(options.fallback, contents.edition.ledger),
    page: createPages({
      hasControl: options.control === 'on' && !isControlClosed(options),
      openapi: (asked) => openapiFor(asked, options, contents)
    }),
    places: joined?.places,
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
      const { beside, factoryOf } = contents.edition
      return { rules: beside.rules as ReadonlyMap<string, OwnRule>, factoryOf }
    },
    corsOrigin: options.corsOrigin,
    allowHost: options.allowHost
  }
}

/**
 * Requests that belong to no sandbox are answered as if in the default one. If that lives in another process, a copy that nobody
 * else sees stands for it.
 */
function orNobody(sandboxes: Sandboxes, owns: (name: string) => boolean, nobody: () => Sandbox): Worlds['findSandbox'] {
  return (name) => {
    const found = sandboxes.find(name)
    return found || name !== 'default' || owns(name) ? found : nobody()
  }
}

/** The OpenAPI document, with the address that the client uses. */
function openapiFor({ host, request }: Exchange, options: SettledMock, contents: Contents): string {
  const { edition, sandboxes } = contents
  const scheme = clientOf(request, options.trustProxy).isSecure ? 'https' : 'http'
  const server = `${scheme}://${host ?? 'localhost'}${request.mount}`
  const { choices } = sandboxes.find('default') ?? edition
  return openapiText(edition.contractOf(choices), { entries: edition.ledger, choices }, server)
}
