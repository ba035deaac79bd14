import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { clearTimeout, setTimeout } from 'node:timers'
import { setTimeout as pause } from 'node:timers/promises'
import { packageVersion } from '../../contract/load.js'
import { DataError } from '../../mock/persistence/edge.js'
import { openParts } from '../../mock/persistence/parts.js'
import { createCount } from '../../serve/message/rate.js'
import { settle } from '../options/settle.js'
import { type ServerOptions, type SettledServer, serveTable } from '../options/table.js'
import { stateOptions } from '../program/data.js'
import type { Log } from '../program/log.js'
import { addressOf, listen, writePort } from '../program/server.js'
import { isEngine } from '../replicas/address.js'
import { loadAll } from '../with/modules.js'
import { modulesOf } from '../with/with.js'
import { Crew } from './crew.js'
import { openHall } from './hall.js'
import { createHint } from './hint.js'

/** The workers, behind one port. */
export interface RunningWorkers {
  url: string
  /** Finishes the requests in progress, keeps the state, and ends the workers. */
  close(): Promise<void>
}

/** Milliseconds, beyond those that requests have to finish, after which a worker that does not stop is killed. */
const grace = 5000

/** Starts workers. Rejects as `startMock` does. */
export async function leadWorkers(count: number, given: ServerOptions, log: Log): Promise<RunningWorkers> {
  const options = settle(serveTable, given)
  const { port, host, data, portFile, shutdownTimeout, shutdownDelay } = options
  if (options.watch)
    throw new Error('workers (--workers) are several processes: watch (--watch) would reload one of them alone.')
  const [parts, unlock] = await partsOf(data, count, options, log.problem)
  const [secret, cookieSecret] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const [instance, since] = [randomUUID(), Date.now()]
  const hintOf = createHint(options.tokenCookie)
  const hall = openHall(options.maxConnections, (connection) =>
    crew.give(connection.first && hintOf(connection.first), connection)
  )
  const crew = new Crew({
    count,
    beginning: (index) => ({ op: 'begin', index, count, secret, cookieSecret, instance, since, part: parts[index] }),
    fate:
      data === undefined
        ? 'its sandboxes begin anew, because without --data they were in its memory alone'
        : 'nothing that was answered is lost',
    say: log.problem,
    closed: (count) => hall.closed(count),
    lost: (connection) => hall.takeBack(connection),
    rate: createCount(options.rateLimit),
    ready: () => hall.goOn()
  })
  try {
    await crew.start()
    await listen(hall.server, port, host)
    const address = hall.server.address() as AddressInfo
    hall.server.on('error', ({ message }) => log.problem(`a connection was not accepted: ${message}`))
    if (portFile) writePort(portFile, address.port)
    return {
      url: addressOf(address),
      async close() {
        crew.leave()
        await pause(shutdownDelay * 1000)
        hall.close()
        const late = setTimeout(() => crew.kill(), shutdownTimeout * 1000 + grace)
        await crew.stop()
        clearTimeout(late)
        await unlock()
      }
    }
  } catch (error) {
    crew.kill()
    await unlock()
    throw error
  }
}

/** The folders of the workers, and what frees them. */
async function partsOf(
  data: string | undefined,
  count: number,
  options: SettledServer,
  say: (text: string) => void
): Promise<[string[], () => Promise<void>]> {
  if (data === undefined || isEngine(data)) return [[], async () => {}]
  const load = await loadAll(modulesOf(options.with))
  const settled = { ...options, onProblem: say }
  try {
    return await openParts(data, count, { options: () => stateOptions(settled, packageVersion(), load), say })
  } catch (error) {
    throw new DataError((error as Error).message)
  }
}
