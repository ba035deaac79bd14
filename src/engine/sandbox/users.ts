import type { Api } from '../api.js'
import type { AnyRow } from '../store/collection.js'
import { collectionOf, type Store } from '../store/rows.js'

/** The user with this token. */
export function userWith({ users }: Api, rows: Store, token: string): AnyRow | undefined {
  return collectionOf(rows, users.collection).firstWith(users.token, token)
}

export function isActive({ users }: Api, user: AnyRow | undefined): boolean {
  return user !== undefined && (users.active === undefined || user[users.active] === true)
}

/** The tokens to list when a token is wrong. Users of every fixture set come first, and a long list is cut. */
export function tokensToName(api: Api, rows: Store): string[] {
  const { collection, token, common } = api.users
  const others = [...collectionOf(rows, collection).all()].map((user) => user[token] as string)
  return [
    ...common.filter((it) => userWith(api, rows, it)),
    ...others
      .filter((it) => !common.includes(it))
      .sort()
      .slice(0, 20)
  ]
}
