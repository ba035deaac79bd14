import { once } from 'node:events'
import { Agent, type IncomingMessage, type RequestOptions, request as send } from 'node:http'
import { clearTimeout, setTimeout } from 'node:timers'
import { hush } from '../../engine/serve/message/contain.js'
import type { Answer, Request } from '../../engine/serve/message/message.js'
import type { OwnerAddress } from '../../engine/serve/owners.js'
import { nodeOf } from '../lease.js'
import { endpointOf, wholeOf } from './forward.js'
import { askHeader, type Signed } from './signed.js'

/** The reports of processes, and those that did not answer. */
export interface Replies<Report> {
  reports: { node: string; report: Report }[]
  silent: { node: string; reason: string }[]
}

/** The questions that each process can answer: a function for each. */
type Answers = Record<string, () => unknown>

type AnswerTo<All extends Answers, Question extends keyof All> = Awaited<ReturnType<All[Question]>>

const root = '/__mock/asked/'

interface EverybodyParts<All> {
  node: string
  signed: Signed
  /** Milliseconds that an answer may take. */
  patience: number
  others: () => Promise<OwnerAddress[]>
  answers: All
}

/** Asks all processes the same question with signed requests. It names those that do not answer in time; the rest counts. */
export class Everybody<All extends Answers> {
  private readonly agent = new Agent({ keepAlive: true })

  constructor(private readonly of: EverybodyParts<All>) {}

  /** This process comes first. */
  async ask<Question extends keyof All & string>(question: Question): Promise<Replies<AnswerTo<All, Question>>> {
    const { node, others, answers } = this.of
    const own = (await answers[question]?.()) as AnswerTo<All, Question>
    const replies: Replies<AnswerTo<All, Question>> = { reports: [{ node, report: own }], silent: [] }
    await Promise.all(
      (await others()).map(async ({ life, address }) => {
        const peer = nodeOf(life)
        try {
          const report = (await this.askOne(address, question)) as AnswerTo<All, Question>
          replies.reports.push({ node: peer, report })
        } catch (error) {
          // A process that has left meanwhile has handed over its sandboxes.
          const isThere = (await others()).some((it) => it.address === address)
          if (isThere) replies.silent.push({ node: peer, reason: (error as Error).message })
        }
      })
    )
    return replies
  }

  /** The answer to another process. Undefined: the request comes from a client. Throws a Refusal if it is forged. */
  answer(request: Request): Promise<Answer> | undefined {
    return this.of.signed.isAsked(request) ? this.answerTo(request.target.slice(root.length)) : undefined
  }

  close(): void {
    this.agent.destroy()
  }

  private async answerTo(question: string): Promise<Answer> {
    const answer = Object.hasOwn(this.of.answers, question) ? this.of.answers[question] : undefined
    const body = answer ? JSON.stringify((await answer()) ?? null) : ''
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    return { status: answer ? 200 : 404, headers, body }
  }

  private async askOne(address: string, question: string): Promise<unknown> {
    const { signed, patience } = this.of
    const path = root + question
    const headers = { [askHeader]: signed.ask('GET', path) }
    const sent = send({ ...endpointOf(address), agent: this.agent, path, headers } as RequestOptions)
    const late = setTimeout(() => sent.destroy(new Error(`it gave no answer within ${patience} ms`)), patience)
    hush(sent)
    try {
      const [response] = (await once(sent.end(), 'response')) as [IncomingMessage]
      const body = await wholeOf(response)
      if (response.statusCode !== 200) throw new Error(`it answered with ${response.statusCode}`)
      return JSON.parse(body.toString())
    } finally {
      clearTimeout(late)
    }
  }
}
