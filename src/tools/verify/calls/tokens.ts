import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import type { Operation } from '../../../engine/contract/model.js'
import { type Bounds, LeftOut } from './bounds.js'
import type { Asker, Reply } from './client.js'
import { Unreachable } from './patience.js'

/** The commands that print the tokens of a run's users. */
export type TokenCommands = Record<'admin' | 'user', string | undefined>

/** The token that a command of the user prints. Throws Unreachable if there is none. */
export async function tokenBy(command: string, option: string, signal: AbortSignal): Promise<string> {
  const { stdout } = await promisify(exec)(command, { signal }).catch(({ code, stderr }) => {
    // The command itself may have a secret.
    const [line = ''] = String(stderr ?? '')
      .trim()
      .split('\n')
    throw new Unreachable(`the command of ${option} failed (${code})${line && `: ${line}`}.`)
  })
  const token = stdout.trim()
  if (token === '') throw new Unreachable(`the command of ${option} prints no token.`)
  if (/[^\x21-\x7e ]/.test(token)) throw new Unreachable(`the command of ${option} prints more than a token.`)
  return token
}

/** The tokens of a run's users. A command is asked for another one after a 401. */
export class Tokens {
  /** The operations that refuse a new token, too. */
  private readonly refusing = new Set<string>()
  private readonly asking: { [K in keyof TokenCommands]?: Promise<string> } = {}

  constructor(
    private readonly values: { token: string; userToken: string | undefined },
    private readonly commands: TokenCommands,
    private readonly bounds: Bounds,
    private readonly hide: (token: string) => void
  ) {}

  /** Sends a request as a user. If a token of a command is refused with 401, the request is sent again with a new one. */
  async send(as: Asker, { id }: Operation, attempt: (authorization: string | null) => Promise<Reply>): Promise<Reply> {
    const header = this.header(as)
    const reply = await attempt(header)
    const isOfUser = as === 'admin' || as === 'user'
    if (reply.status !== 401 || !isOfUser || this.commands[as] === undefined) return reply
    const key = `${as} ${id}`
    if (this.refusing.has(key)) return reply
    // Another request may have asked in the meantime.
    if (this.header(as) === header) await this.renew(as, this.commands[as])
    const again = this.header(as) === header ? reply : await attempt(this.header(as))
    if (again.status === 401) this.refusing.add(key)
    return again
  }

  private header(as: Asker): string | null {
    return headerOf(as, this.values.token, this.values.userToken)
  }

  /** Requests that are refused at the same time ask once. */
  private async renew(as: keyof TokenCommands, command: string): Promise<void> {
    this.bounds.checkTime()
    const option = as === 'admin' ? '--token-command' : '--user-token-command'
    this.asking[as] ??= tokenBy(command, option, this.bounds.signal).finally(() => delete this.asking[as])
    try {
      const token = await this.asking[as]
      this.hide(token)
      this.values[as === 'admin' ? 'token' : 'userToken'] = token
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      this.bounds.checkTime()
      this.bounds.fail(error.message)
      throw new LeftOut(this.bounds.over)
    }
  }
}

export function headerOf(as: Asker, token: string, userToken: string | undefined): string | null {
  if (as === 'nobody') return null
  if (as === 'admin') return `Bearer ${token}`
  return as === 'user' ? `Bearer ${userToken}` : as.header
}
