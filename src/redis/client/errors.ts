import { Refusal } from '../../engine/contract/message/refusal.js'
import { withoutEnd } from '../../engine/contract/text.js'

/** A command certainly changed nothing: it was not sent, or the engine refused it. */
export class NotDone extends Error {}

/** The engine refuses it until an operator acts. */
export class EngineRefuses extends NotDone {}

export class EngineFull extends EngineRefuses {}

/** The engine has a different last entry than the writer, so the command changed nothing. */
export class Fenced extends Error {
  constructor(readonly last: string) {
    super('another process has written since')
  }
}

/** It is unknown whether a command was executed: the connection broke, or the answer did not arrive in time. */
export class OutcomeUnknown extends Error {}

/** A change was made, but too few replicas have it. */
export class TooFewCopies extends Refusal {}

/** Errors of the client, by the names of their classes. */
const unsent = ['ClientOfflineError', 'ClientClosedError']
const refused = ['ErrorReply', 'SimpleError', 'BlobError']

export function meaningOf(error: Error): Error {
  const { message } = error
  const { name } = error.constructor
  if (unsent.includes(name)) return new NotDone('the engine cannot be reached')
  if (!refused.includes(name)) return new OutcomeUnknown(message)
  return refusalOf(message)
}

const full =
  'the engine is full, because it has used all its memory (OOM, maxmemory). Drop sandboxes, or give it more memory'
const demoted =
  'the engine is a read-only replica now, perhaps after a failover (READONLY). Give --data the address of the primary, or of its sentinels'

/** What the engine's refusal of a change means. */
export function refusalOf(message: string): Error {
  const [, last] = /^FENCED ?(.*)$/.exec(message) ?? []
  if (last !== undefined) return new Fenced(last)
  if (message.includes('OOM ')) return new EngineFull(full)
  if (message.includes('READONLY ')) return new EngineRefuses(demoted)
  // The place in the script does not help clients.
  return new NotDone(withoutEnd(message.replace(/ script: \w+, on @user_script\S*$/, ''), '.'))
}
