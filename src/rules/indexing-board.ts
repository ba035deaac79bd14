import type { ConnectorIndexingStatus, DocumentSource } from '../contract/types.gen.js'
import { emptyTree, type Tree } from '../store/tree.js'

/** What a report tells associations apart by, beside their number. */
type Trait = 'source' | 'is_editable' | 'access_type' | 'cc_pair_status' | 'last_status'
export type Traits = Readonly<Pick<ConnectorIndexingStatus, Trait>>

/** The associations that have all traits in common. */
interface Group extends Traits {
  /** Documents of each, by its number. */
  readonly pairs: Tree<number, number>
  /** Of all together. */
  docs: number
}

/** Associations by source and traits, counted (E16): totals and pages need no look at each of them. */
export class Board {
  private readonly groups = new Map<string, Group>()
  private readonly groupOf = new Map<number, Group>()

  /** How an association stands now, in the place of what was known of it; undefined: it is in no report. */
  set(id: number, status: ConnectorIndexingStatus | undefined): void {
    this.remove(id)
    if (status) this.add(id, status.docs_indexed, this.group(status))
  }

  clear(): void {
    this.groups.clear()
    this.groupOf.clear()
  }

  /** Those of the associations that pass. */
  filter(passes: (id: number, docs: number) => boolean): Board {
    const board = new Board()
    for (const group of this.groups.values()) {
      for (const [id, docs] of group.pairs.entries()) if (passes(id, docs)) board.add(id, docs, board.group(group))
    }
    return board
  }

  /** A section for every source that has associations with such traits. */
  sections(passes: (traits: Traits) => boolean): Map<DocumentSource, Section> {
    const sections = new Map<DocumentSource, Group[]>()
    for (const group of this.groups.values()) {
      if (group.pairs.size > 0 && passes(group))
        sections.set(group.source, [...(sections.get(group.source) ?? []), group])
    }
    return new Map([...sections].map(([source, groups]) => [source, new Section(groups)]))
  }

  private group({ source, is_editable, access_type, cc_pair_status, last_status }: Traits): Group {
    const key = `${source} ${is_editable} ${access_type} ${cc_pair_status} ${last_status}`
    let group = this.groups.get(key)
    if (!group) {
      group = { source, is_editable, access_type, cc_pair_status, last_status, pairs: emptyTree(), docs: 0 }
      this.groups.set(key, group)
    }
    return group
  }

  private add(id: number, docs: number, group: Group): void {
    group.pairs.set(id, docs)
    group.docs += docs
    this.groupOf.set(id, group)
  }

  private remove(id: number): void {
    const group = this.groupOf.get(id)
    if (!group) return
    group.docs -= group.pairs.get(id) as number
    group.pairs.delete(id)
    this.groupOf.delete(id)
  }
}

/** The associations of one source. */
export class Section {
  constructor(private readonly groups: readonly Group[]) {}

  count(passes: (traits: Traits) => boolean = () => true): number {
    return this.groups.reduce((sum, group) => (passes(group) ? sum + group.pairs.size : sum), 0)
  }

  get docs(): number {
    return this.groups.reduce((sum, group) => sum + group.docs, 0)
  }

  /** Their numbers from one place to another: what may be edited comes first, then the newest. */
  slice(from: number, to: number): number[] {
    const editable = this.newest(to, true)
    return [...editable, ...this.newest(to - editable.length, false)].slice(from, to)
  }

  private newest(count: number, isEditable: boolean): number[] {
    const found: number[] = []
    for (const { is_editable, pairs } of this.groups) {
      if (is_editable !== isEditable) continue
      let left = count
      for (const [id] of pairs.entriesReversed()) {
        if (left-- <= 0) break
        found.push(id)
      }
    }
    return found.sort((a, b) => b - a).slice(0, count)
  }
}
