import type { Header, LogItem } from './log-items.js'

/** A place between two lines of a log: the number of bytes before it, and the checksum of the previous line. */
export interface LogPosition {
  length: number
  checksum: number
}

/** A log to which lines of JSON are added. A write that fails leaves no trace. */
export interface LogStore {
  readonly id: string
  /** Where it ends. */
  readonly place: LogPosition
  write(lines: readonly string[], isForced: boolean): Promise<void>
  /** Forces all written lines onto the disk. Returns the place after the last one. */
  force(): Promise<LogPosition>
  close(): Promise<void>
}

/** The contents of a log. */
export interface RecoveredLog {
  header: Header | undefined
  items: LogItem[]
  /** The end of the log. */
  end: LogPosition
  /** The number of bytes after the end, from an unfinished write. */
  torn: number
  /** Saves these bytes next to the log. */
  keepTorn: (say: (text: string) => void) => Promise<void>
}

/** Where a log is kept: in a folder, or in the database of a browser. */
export interface LogMedium {
  /** For messages: the medium, and the log in it. */
  readonly name: string
  readonly log: string
  /** Throws an Error that says what to do if the log is not as it was written. */
  recover(): Promise<RecoveredLog>
  goOn(id: string, recovered: RecoveredLog): Promise<LogStore>
  /** Begins a log that may replace the current one. */
  begin(id: string): Promise<LogStore>
  /** Replaces the current log by it. */
  replace(): Promise<void>
  /** Makes sure that it stays in place. */
  settle(): Promise<void>
  /** Drops it. */
  giveUp(): Promise<void>
  /** Records that everything up to this place is on the disk. */
  mark(log: LogStore, place: LogPosition): Promise<void>
  close(): Promise<void>
}
