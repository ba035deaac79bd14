import type { Switches } from '../switch.js'
import { answers } from './answers.js'
import { doubtful } from './doubtful.js'
import { http } from './http.js'
import { needs, requests } from './requests.js'
import { rules } from './rules.js'

const named = { ...answers, ...doubtful, ...http, ...requests, ...rules }

/** A choice that the service asks for by its name. */
export type Choice = keyof typeof named

/** Legal ways of doing what the description leaves open, by kind. */
export const choicesByKind: Record<string, Switches> = {
  'forms of answers': answers,
  'reading of requests': requests,
  'fields that are needed': needs,
  HTTP: http,
  rules
}

export { doubtful }

export const choices: Switches = Object.assign({}, ...Object.values(choicesByKind))
