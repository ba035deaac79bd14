import type { Api, DocumentApi, TokenPlace } from '../../api.js'
import type { Operation } from '../../contract/model.js'
import { cookiesOf } from './cookies.js'
import type { Request } from './message.js'

/** The key in a header, query parameter or cookie that the document of an API names. */
export function keyIn(
  { headers: names, query, cookies }: DocumentApi['keys'],
  headers: Request['headers'],
  target: string
) {
  const places = [
    ...names.map((name): TokenPlace => ({ in: 'header', name })),
    ...query.map((name): TokenPlace => ({ in: 'query', name })),
    ...cookies.map((name): TokenPlace => ({ in: 'cookie', name }))
  ]
  for (const place of places) {
    const key = sentIn(place, { headers, target })
    if (key !== undefined) return key
  }
  return undefined
}

function sentIn(place: TokenPlace, { headers, target }: Pick<Request, 'headers' | 'target'>): string | undefined {
  if (place.in === 'header') return headers[place.name] as string | undefined
  if (place.in === 'cookie') return headers.cookie === undefined ? undefined : cookiesOf(headers.cookie)[place.name]
  const mark = target.indexOf('?')
  return mark < 0 ? undefined : (new URLSearchParams(target.slice(mark)).get(place.name) ?? undefined)
}

/** How a token is written in a place, for people. */
export function writtenIn({ in: place, name, scheme }: TokenPlace, token: string): string {
  if (place === 'query') return `?${name}=${token}`
  if (place === 'cookie') return `Cookie: ${name}=${token}`
  const shown = name.replace(/(^|-)[a-z]/g, (it) => it.toUpperCase())
  return `${shown}: ${scheme === 'Basic' ? `Basic ${btoa(`${token}:`)}` : scheme ? `${scheme} ${token}` : token}`
}

export function howToSend({ document, users }: Api, operation: Operation | undefined): string {
  const ways = operation ? (document?.placesOf(operation) ?? []) : []
  const [token = '<token>'] = users.common
  const texts = ways.filter((it) => it.length > 0).map((way) => way.map((it) => writtenIn(it, token)).join(' with '))
  return `Send ${texts.join(' or ')}.`
}

/** Why a request with a token is not enough for an operation that asks for several. */
export function lackingTokens(api: Api, operation: Operation, request: Request): string | undefined {
  const ways = api.document?.placesOf(operation) ?? []
  const isWhole = (way: readonly TokenPlace[]) => way.every((it) => sentIn(it, request) !== undefined)
  const isLacking = ways.length > 0 && ways.every((way) => way.length > 1 && !isWhole(way))
  return isLacking ? `this operation asks for several tokens. ${howToSend(api, operation)}` : undefined
}
