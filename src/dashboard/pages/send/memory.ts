import { signal } from '@preact/signals'
import { jsonIn } from '../json/values.js'
import { route } from '../route.js'
import type { Draft } from './draft.js'

export interface PastRequest {
  at: string
  operation: string
  method: string
  url: string
  draft: Draft
  answers: { user: string; status: number }[]
}

const most = 30

/** What this tab sent, newest first. Bodies may have secrets, so they are forgotten with the tab. */
export const past = signal<PastRequest[]>(read('sent') ?? [])

export function remember(entry: PastRequest): void {
  past.value = [entry, ...past.value].slice(0, most)
  write('sent', past.value)
}

/** Increases when an earlier request is edited again. */
export const takings = signal(0)

/** The current request, so that a reload keeps it. */
export function keepDraft(name: string, from: string | undefined, draft: Draft): void {
  write(keyOf(name, from), draft)
}

export function readDraft(name: string, from: string | undefined): Draft | undefined {
  return read(keyOf(name, from))
}

function keyOf(name: string, from = ''): string {
  return `draft ${route.peek().sandbox} ${name} ${from}`
}

function write(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // The tab has no space for it. Only this record is lost.
  }
}

function read<T>(key: string): T | undefined {
  return (jsonIn(sessionStorage.getItem(key) ?? 'null') ?? undefined) as T | undefined
}
