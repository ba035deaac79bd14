/** `node:vm`: a browser has only its own classes, and no deadlines. */
export function runInThisContext(): Pick<typeof globalThis, 'Request' | 'Response' | 'FormData'> {
  const { Request, Response, FormData } = globalThis
  return { Request, Response, FormData }
}

export const createContext = <T>(context: T): T => context

export class Script {
  runInContext(context: { run: () => unknown }): unknown {
    return context.run()
  }
}
