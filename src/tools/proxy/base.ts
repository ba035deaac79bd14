/** The address of a service. Throws an Error if it is invalid. */
export function readBase(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : undefined
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new Error(`The upstream is "${text}". Give an address such as http://127.0.0.1:8080.`)
  }
  if (base.username || base.password) {
    throw new Error(
      `The upstream ${base.origin} has a user or a password in its address. Leave them out: clients send their own Authorization.`
    )
  }
  if (base.search || base.hash) throw new Error(`The upstream is "${text}". Give it without a query and a fragment.`)
  return base
}
