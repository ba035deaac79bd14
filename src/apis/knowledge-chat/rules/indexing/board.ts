import { inMap } from '../../../../engine/contract/once.js'
import { compare } from '../../../../engine/store/sorted-index.js'
import { emptyTree, type Tree } from '../../../../engine/store/tree.js'
import type { ConnectorIndexingStatus, DocumentSource } from '../../types.gen.js'

type Status = ConnectorIndexingStatus
type Trait = 'source' | 'is_editable' | 'access_type' | 'cc_pair_status' | 'last_status'
export type Traits = Readonly<Pick<Status, Trait>>

/** The associations that share all traits, by number. */
interface Group extends Traits {
  readonly pairs: Tree<number, Status>
  /** The total of documents. It is a bigint, so that many additions and subtractions stay exact. */
  docs: bigint
}

/** Counts associations by source and traits (E16), so that totals and pages need not read each of them. */
export class Board {
  private readonly groups = new Map<string, Group>()
  private readonly groupOf = new Map<number, Group>()

  /** Sets the status of an association. Undefined removes it from all reports. */
  set(id: number, status: Status | undefined): void {
    this.remove(id)
    if (status) this.add(status, this.group(status))
  }

  clear(): void {
    this.groups.clear()
    this.groupOf.clear()
  }

  filter(passes: (status: Status) => boolean): Board {
    const board = new Board()
    for (const group of this.groups.values()) {
      for (const status of group.pairs.values()) if (passes(status)) board.add(status, board.group(group))
    }
    return board
  }

  /** A section for every source that has associations with matching traits. */
  sections(passes: (traits: Traits) => boolean): Map<DocumentSource, Section> {
    const groups = new Map<DocumentSource, Group[]>()
    for (const group of this.groups.values()) {
      if (group.pairs.size === 0 || !passes(group)) continue
      inMap(groups, group.source, (): Group[] => []).push(group)
    }
    return new Map([...groups].map(([source, all]) => [source, new Section(all)]))
  }

  private group({ source, is_editable, access_type, cc_pair_status, last_status }: Traits): Group {
    const key = `${source} ${is_editable} ${access_type} ${cc_pair_status} ${last_status}`
    const traits = { source, is_editable, access_type, cc_pair_status, last_status }
    return inMap(this.groups, key, () => ({ ...traits, pairs: emptyTree<number, Status>(compare), docs: 0n }))
  }

  private add(status: Status, group: Group): void {
    group.pairs.set(status.cc_pair_id, status)
    group.docs += BigInt(status.docs_indexed)
    this.groupOf.set(status.cc_pair_id, group)
  }

  private remove(id: number): void {
    const group = this.groupOf.get(id)
    if (!group) return
    group.docs -= BigInt((group.pairs.get(id) as Status).docs_indexed)
    group.pairs.delete(id)
    this.groupOf.delete(id)
  }
}

export class Section {
  constructor(private readonly groups: readonly Group[]) {}

  /** A section of these associations, which all have the same source. */
  static of(statuses: Status[]): Section {
    const board = new Board()
    for (const status of statuses) board.set(status.cc_pair_id, status)
    const [section] = board.sections(() => true).values()
    return section ?? new Section([])
  }

  count(passes: (traits: Traits) => boolean = () => true): number {
    return this.groups.reduce((sum, group) => (passes(group) ? sum + group.pairs.size : sum), 0)
  }

  get docs(): number {
    const sum = this.groups.reduce((sum, group) => sum + group.docs, 0n)
    return Math.min(Number(sum), Number.MAX_VALUE)
  }

  /** A range of associations: editable ones first, then the newest. */
  slice(from: number, to: number): Status[] {
    const editable = this.newest(to, true)
    return [...editable, ...this.newest(to - editable.length, false)].slice(from, to)
  }

  private newest(count: number, isEditable: boolean): Status[] {
    const result: Status[] = []
    for (const { is_editable, pairs } of this.groups) {
      if (is_editable !== isEditable) continue
      let rest = count
      for (const [, status] of pairs.entriesReversed()) {
        if (rest-- <= 0) break
        result.push(status)
      }
    }
    return result.sort((a, b) => b.cc_pair_id - a.cc_pair_id).slice(0, count)
  }
}
