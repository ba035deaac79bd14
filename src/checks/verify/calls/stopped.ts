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
