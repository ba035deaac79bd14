/** `node:vm`: a browser has no other classes than its own, and no deadlines. */
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
