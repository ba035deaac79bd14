/** `node:vm`: a browser has only its own classes, and no deadlines. */
export const runInThisContext = () => globalThis

export const createContext = <T>(context: T): T => context

export class Script {
  runInContext(context: { run: () => unknown }): unknown {
    return context.run()
  }
}
