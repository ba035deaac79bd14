import type { Answer } from '../mock.js'
import type { Opened } from './sandboxes.js'

/** Sends what an assumption is about. The result differs for every choice. */
export type Probe = (on: Opened) => Promise<unknown>

/** What a client sees first. */
export async function seen(answer: Promise<Answer>): Promise<unknown> {
  const { status, body } = await answer
  return { status, body }
}

export async function statusOf(answer: Promise<Answer>): Promise<number> {
  return (await answer).status
}

/** A form with so many small files. */
export function filesForm(count: number): FormData {
  const form = new FormData()
  for (let i = 0; i < count; i++) form.append('files', new Blob(['text']), `${i}.txt`)
  return form
}
