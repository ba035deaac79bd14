/**
 * A request needs a sandbox that is not in this process, and certainly changed nothing: it can be answered again where that
 * sandbox lives now.
 */
export class SandboxMoved extends Error {
  constructor(readonly sandbox: string) {
    super(`the sandbox ${sandbox} is in another process`)
  }
}
