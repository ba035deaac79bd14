import { inMap, keepLatest } from '../../../../engine/contract/once.js'
import { compare } from '../../../../engine/store/sorted-index.js'
import { emptyTree } from '../../../../engine/store/tree.js'
import type { Store } from '../../collections.js'
import { isMoving } from '../connectors/attempts.js'
import { type Context, changesAll, sourcesOf } from '../rule.js'
import { Board } from './board.js'
import { showsPrivate, statusOf } from './indexing-status.js'
import { attemptsOf, isRefreshing, nextChangeOf } from './refreshes.js'

/** The highest number of boards: the one for administrators, and those of the latest curators. */
const mostBoards = 8
/** After this many changes a board is rebuilt on the next read. */
const mostChanges = 10_000

/** The board for a request (E16). It is cached with the rows, because reading an association takes a microsecond. */
export function boardFor(context: Context, isSecondary: boolean): Board {
  const { rows, user } = context
  // All administrators see the same board.
  const reader = user.role === 'admin' ? user.role : `${user.role} ${user.id}`
  const seesAll = changesAll(context) || showsPrivate(context)
  const key = `${isSecondary} ${isMoving(context)} ${isRefreshing(context)} ${seesAll} ${changesAll(context)} ${reader}`
  const boards = rows.connectorCredentials.view('boards', () => new BoardCache(rows))
  return boards.get(key, isSecondary).read(context)
}

class BoardCache {
  /** In the order of their last use. */
  private readonly boards = new Map<string, CachedBoard>()

  constructor({ connectorCredentials, indexAttempts, connectors, credentials }: Store) {
    connectorCredentials.follow(this.telling((row) => ['pairs', row.id]))
    indexAttempts.follow(this.telling((row) => ['pairs', row.connector_credential_id]))
    connectors.follow(this.telling((row) => ['connectors', row.id]))
    credentials.follow(this.telling((row) => ['credentials', row.id]))
  }

  get(key: string, isSecondary: boolean): CachedBoard {
    const board = this.boards.get(key) ?? new CachedBoard(isSecondary)
    keepLatest(this.boards, key, board, mostBoards)
    return board
  }

  private telling<Row>(about: (row: Row) => [kind: keyof Changes, id: number]) {
    const tell = (row: Row) => {
      for (const board of this.boards.values()) board.miss(...about(row))
    }
    return { add: tell, remove: tell }
  }
}

interface Changes {
  pairs: Set<number>
  connectors: Set<number>
  credentials: Set<number>
}

/** A board, with the changes since it was last read. */
class CachedBoard {
  private readonly board = new Board()
  private readonly missed: Changes = { pairs: new Set(), connectors: new Set(), credentials: new Set() }
  /** The associations that the clock will change, by the moment of the change. */
  private readonly due = emptyTree<string, Set<number>>(compare)
  private readonly dueOf = new Map<number, string>()
  /** When it was last read. Undefined: it has not been built yet. */
  private moment: string | undefined
  private sources: ReturnType<typeof sourcesOf> = null

  constructor(private readonly isSecondary: boolean) {}

  miss(kind: keyof Changes, id: number): void {
    if (this.moment === undefined) return
    this.missed[kind].add(id)
    if (this.missed[kind].size > mostChanges) this.forget()
  }

  read(context: Context): Board {
    const { now, rows } = context
    const sources = sourcesOf(context)
    const { connectorCredentials: pairs } = rows
    // When the clock goes back, statuses change although no row does.
    if (this.moment !== undefined && (now < this.moment || sources !== this.sources)) this.forget()
    const isNew = this.moment === undefined
    const numbers = isNew ? [...pairs.all()].map(({ id }) => id) : this.outdated(context)
    for (const id of numbers) {
      const pair = pairs.get(id)
      const attempts = pair ? attemptsOf(context, pair) : []
      this.board.set(id, pair && statusOf(context, pair, attempts, this.isSecondary))
      this.expect(id, pair && nextChangeOf(context, pair, attempts))
    }
    this.moment = now
    this.sources = sources
    return this.board
  }

  private expect(id: number, change: string | undefined): void {
    const before = this.dueOf.get(id)
    if (before === change) return
    if (before !== undefined) this.expectNoMore(id, before)
    if (change === undefined) return
    this.dueOf.set(id, change)
    inMap(this.due, change, () => new Set<number>()).add(id)
  }

  private expectNoMore(id: number, change: string): void {
    this.dueOf.delete(id)
    const others = this.due.get(change)
    others?.delete(id)
    if (others?.size === 0) this.due.delete(change)
  }

  private forget(): void {
    this.board.clear()
    this.due.clear()
    this.dueOf.clear()
    for (const ids of Object.values(this.missed)) ids.clear()
    this.moment = undefined
  }

  /** The associations to read again. */
  private outdated({ rows: { connectorCredentials: pairs }, now }: Context): Set<number> {
    const pairIds = new Set(this.missed.pairs)
    for (const id of this.missed.connectors) for (const pair of pairs.where('byConnector', id)) pairIds.add(pair.id)
    for (const id of this.missed.credentials) for (const pair of pairs.where('byCredential', id)) pairIds.add(pair.id)
    for (const ids of Object.values(this.missed)) ids.clear()
    for (let at = this.due.minKey(); at !== undefined && at <= now; at = this.due.minKey()) {
      for (const id of this.due.get(at) as Set<number>) {
        pairIds.add(id)
        this.dueOf.delete(id)
      }
      this.due.delete(at)
    }
    return pairIds
  }
}
