/**
 * The sandbox of a request is not in this process any more, and the request did certainly not change anything: it can be
 * answered again where the sandbox lives now.
 */
export class Moved extends Error {
  constructor(sandbox: string) {
    super(`the sandbox ${sandbox} lives elsewhere now`)
  }
}
