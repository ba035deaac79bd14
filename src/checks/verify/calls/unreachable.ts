/**
 * The current work cannot go on. The message tells what could not be checked and why. Without a message, a finding
 * tells it.
 */
export class Stopped extends Error {
  constructor(
    message?: string,
    /** Whether the service did not answer, or answered that it cannot now. */
    readonly isLost = false
  ) {
    super(message)
  }
}

/**
 * Why there is no answer: the time is up; nobody is there; the connection ended, or what came is no HTTP; or the answer
 * cannot be read here.
 */
export type Silence = 'late' | 'absent' | 'broken' | 'unread'

/** The target cannot be tested. The message gives the reason in one sentence. */
export class Unreachable extends Error {
  constructor(
    message: string,
    readonly silence: Silence = 'broken'
  ) {
    super(message)
  }
}
