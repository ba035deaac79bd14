import type { ApiDefinition } from './apis/document/api.js'
import type { ConfigOptions } from './doors/options/table.js'
import type { CheckedRows } from './engine/answers/rows.js'
import type { Context } from './engine/api.js'
import type { RuleReply } from './engine/contract/message/reply.js'

/** Types the default export of a config file. */
export function defineConfig(config: ConfigOptions): ConfigOptions {
  return config
}

/**
 * Types the default export of the `api.ts` of a folder: what it adds to the document of an API. With the `operations` that
 * openapi-typescript or `init` writes for the document, as `defineApi<operations>({ … })`, its rules have the input and the
 * reply of their operations. A rule for an operation that is not there does not compile, nor do rules without one of `Needed`.
 */
export function defineApi<const Definition extends ApiDefinition>(definition: Definition): Definition
export function defineApi<Operations extends object, Needed extends keyof Operations = never>(
  definition: Omit<ApiDefinition, 'rules'> & DefinedRules<Operations, Needed>
): ApiDefinition
export function defineApi(definition: ApiDefinition): ApiDefinition {
  return definition
}

type DefinedRules<Operations, Needed extends keyof Operations> = [Needed] extends [never]
  ? { rules?: Rules<Operations> }
  : { rules: Rules<Operations, Needed> }

/** The rules of operations by their ids. All but those of `Needed` may be absent. */
export type Rules<Operations, Needed extends keyof Operations = never> = {
  [Id in keyof Operations]?: RuleOf<Operations[Id]>
} & { [Id in Needed]: RuleOf<Operations[Id]> }

type RuleOf<Operation> = (input: InputOf<Operation>, context: RuleContext) => ReplyOf<Operation> | RuleReply

/** What a rule knows. A row may be the reply, so it has any type: the mock checks rows and replies. */
type RuleContext = Omit<Context, 'rows'> & { rows: { readonly [collection: string]: Rows } }

interface Rows extends Pick<CheckedRows, 'size'> {
  // biome-ignore lint/suspicious/noExplicitAny: see RuleContext
  get(id: string | number): any
  // biome-ignore lint/suspicious/noExplicitAny: see RuleContext
  all(): any[]
  // biome-ignore lint/suspicious/noExplicitAny: see RuleContext
  put(row: object): any
  // biome-ignore lint/suspicious/noExplicitAny: see RuleContext
  remove(id: string | number): any
}

interface InputOf<Operation> {
  path: ParametersIn<Operation, 'path'>
  query: ParametersIn<Operation, 'query'>
  body: Operation extends { requestBody?: infer Body } ? ContentOf<NonNullable<Body>> : undefined
}

type ParametersIn<Operation, Place extends string> = Operation extends { parameters: { [Key in Place]?: infer Of } }
  ? [Of] extends [undefined]
    ? Record<string, never>
    : NonNullable<Of>
  : Record<string, never>

type ContentOf<Message> = [Message] extends [{ content: infer Content }] ? Content[keyof Content] : undefined

type ReplyOf<Operation> = Operation extends { responses: infer Responses }
  ? ContentOf<Responses[keyof Responses & (200 | 201 | 202 | 203 | 206)]>
  : unknown
