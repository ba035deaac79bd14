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
