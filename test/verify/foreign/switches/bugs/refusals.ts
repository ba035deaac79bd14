import { type Answer, operationOf, type Switch, type Switches } from '../switch.js'

/** A refusal by 422, changed. */
const refusal = (at: string, breaks: string, says: string, change: (answer: Answer) => void): Switch => ({
  says,
  breaks,
  at,
  answer(answer, operation) {
    if (answer.status === 422 && operation === operationOf({ says, at })) change(answer)
  }
})

const each = (list: object[], change: (item: never) => void) => {
  for (const item of list) change(item as never)
}
type Row = Record<string, unknown>

/** Refusals of another form. */
export const refusals = {
  'E5-400': refusal(
    'E5',
    '7.1',
    'A bad id of an agent is answered with 400.',
    (answer) => void Object.assign(answer, { status: 400 })
  ),
  'E16-400': refusal(
    'E16',
    '7.1',
    'A bad report of indexing is answered with 400.',
    (answer) => void Object.assign(answer, { status: 400 })
  ),
  'E23-400': refusal(
    'E23',
    '7.1',
    'Bad instructions are answered with 400.',
    (answer) => void Object.assign(answer, { status: 400 })
  ),
  'E8-detail': refusal(
    'E8',
    '2.16',
    'The detail of a refusal is a text.',
    (answer) => void Object.assign(answer, { body: { detail: 'Bad request.' } })
  ),
  'E18-detail': refusal(
    'E18',
    '2.16',
    'A refusal has errors in place of detail.',
    (answer) => void Object.assign(answer, { body: { errors: answer.body.detail } })
  ),
  'E6-type': refusal('E6', '2.16', 'Items of a refusal have no type.', ({ body }) =>
    each(body.detail, (it: Row) => void delete it.type)
  ),
  'E16-loc': refusal('E16', '2.16', 'SandboxOwners are texts with dots.', ({ body }) =>
    each(body.detail, (it: { loc: unknown }) => void Object.assign(it, { loc: (it.loc as string[]).join('.') }))
  ),
  'E13-msg': refusal('E8,E13', '2.16', 'Items of a refusal have no msg.', ({ body }) =>
    each(body.detail, (it: Row) => void delete it.msg)
  ),
  'E30-wrong-loc': refusal('E30', '2.16', 'A bad path is told of the body.', ({ body }) =>
    each(body.detail, (it: Row) => void Object.assign(it, { loc: ['body', 'name'] }))
  ),
  'E19-empty-detail': refusal(
    'E19',
    '2.16',
    'The detail of a refusal is empty.',
    (answer) => void Object.assign(answer, { body: { detail: [] } })
  ),
  'E1-no-input': refusal('E1', '2.16', 'Items of a chat refusal have no input.', ({ body }) =>
    each(body.detail, (it: Row) => void delete it.input)
  ),
  'E4-no-ctx': refusal('E4', '2.16', 'Items of a chat refusal have no ctx.', ({ body }) =>
    each(body.detail, (it: Row) => void delete it.ctx)
  ),
  'E1-second': refusal('E1', '2.16', 'Only the first item of a chat refusal has input and ctx.', ({ body }) =>
    each(body.detail.slice(1), (it: Row) => {
      delete it.input
      delete it.ctx
    })
  ),
  'E1-ctx': refusal('E1', '2.16', 'The ctx of a chat refusal is a text.', ({ body }) =>
    each(body.detail, (it: Row) => void Object.assign(it, { ctx: 'bad' }))
  )
} satisfies Switches
