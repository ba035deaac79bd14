import type { Sent, Switches } from '../switch.js'

const text = ({ path, query, body }: Sent) => JSON.stringify([path, query, body])
const number = (of: Record<string, unknown>, name: string) => Number(of[name])
const holds = (pattern: RegExp) => (sent: Sent) => pattern.test(text(sent))

/** Requests that a service must refuse or answer, and that make it fail. */
export const failures = {
  'E1-emoji': { says: 'An emoji in a description.', breaks: '7', at: 'E1', fails: holds(/\p{Extended_Pictographic}/u) },
  'E1-nul': { says: 'A NUL in a description.', breaks: '7', at: 'E1', fails: holds(/\\u0000/) },
  'E1-bytes': { says: 'A byte in a body that is no UTF-8.', breaks: '7', at: 'E1', fails: holds(/\ufffd/) },
  'half-encoded': { says: 'Half of an encoded sign in a path.', breaks: '7', at: 'E5' },
  'E3-parenthesis': {
    says: 'A parenthesis in a query.',
    breaks: '7',
    at: 'E3',
    fails: ({ query }) => /[(]/.test(JSON.stringify(query))
  },
  'E4-unknown': { says: 'A chat session that is not there.', breaks: '7', at: 'E4' },
  'E5-32-bits': {
    says: 'An id of an agent beyond 32 bits.',
    breaks: '7',
    at: 'E5',
    fails: ({ path }) => number(path, 'persona_id') >= 2 ** 31
  },
  'E5-negative': {
    says: 'A negative id of an agent.',
    breaks: '7',
    at: 'E5',
    fails: ({ path }) => number(path, 'persona_id') < 0
  },
  'E6-long': {
    says: 'A text of an agent of more than 4000 characters.',
    breaks: '7',
    at: 'E6',
    fails: (sent) => text(sent).length > 4000
  },
  'E6-nul': { says: 'A NUL in a text of an agent.', breaks: '7', at: 'E6', fails: holds(/\\u0000/) },
  'E6-combining': { says: 'A combining mark in a text of an agent.', breaks: '7', at: 'E6', fails: holds(/\p{Mn}/u) },
  'E6-right-to-left': {
    says: 'A text of an agent from right to left.',
    breaks: '7',
    at: 'E6',
    fails: holds(/[\u0590-\u06ff]/)
  },
  'E6-num-chunks': {
    says: 'A number of chunks beyond 32 bits.',
    breaks: '7',
    at: 'E6',
    fails: ({ body }) => Math.abs(number(body, 'num_chunks')) >= 2 ** 31
  },
  'E6-list': {
    says: 'A change of an agent that is a list.',
    breaks: '7.1',
    at: 'E6',
    fails: ({ body }) => Array.isArray(body)
  },
  'E6-nothing': {
    says: 'A change of an agent that changes nothing.',
    breaks: '7',
    at: 'E6',
    fails: ({ body }) => Object.keys(body).length === 0
  },
  'E8-lists': {
    says: 'A list in what a credential holds.',
    breaks: '7',
    at: 'E8',
    fails: ({ body }) => Object.values(body.credential_json as object).some(Array.isArray)
  },
  'E8-emoji': {
    says: 'An emoji in the name of a credential.',
    breaks: '7',
    at: 'E8',
    fails: holds(/\p{Extended_Pictographic}/u)
  },
  'E8-no-body': {
    says: 'A credential without a body.',
    breaks: '7.1',
    at: 'E8',
    fails: ({ body }) => body === undefined
  },
  'E9-64-bits': {
    says: 'An id of a credential beyond 64 bits.',
    breaks: '7',
    at: 'E9',
    fails: ({ path }) => number(path, 'credential_id') >= 2 ** 63
  },
  'E12-text': { says: 'A private key whose credential_json is no JSON.', breaks: '7', at: 'E12' },
  'E13-twice-fails': { says: 'A second link of connector and credential.', breaks: '7', at: 'E8,E13' },
  'E13-no-credential': { says: 'A link of a credential that is not there.', breaks: '7', at: 'E8,E13' },
  'E15-unknown': { says: 'A connector that is not there.', breaks: '7', at: 'E15' },
  'E16-bracket': {
    says: 'A filter by name with a bracket.',
    breaks: '7',
    at: 'E16',
    fails: ({ body }) => /[([*+?\\]/.test(String(body.name_filter ?? ''))
  },
  'E16-page-text': {
    says: 'A page that is a text.',
    breaks: '7.1',
    at: 'E16',
    fails: ({ body }) => Object.values(body.source_to_page as object).some((page) => typeof page === 'string')
  },
  'E16-nothing': { says: 'A report of indexing that finds nothing.', breaks: '7', at: 'E16' },
  'E17-no-files': {
    says: 'An upload without files.',
    breaks: '7.1',
    at: 'E17',
    fails: ({ body }) => !('files' in body)
  },
  'E17-empty': { says: 'An upload of an empty file.', breaks: '7', at: 'E17' },
  'E18-no-url': {
    says: 'A page whose address is none.',
    breaks: '7',
    at: 'E18',
    fails: ({ body }) => (body.urls as string[]).some((url) => !URL.canParse(url))
  },
  'E18-port': {
    says: 'A page whose port is too large.',
    breaks: '7',
    at: 'E18',
    fails: ({ body }) => (body.urls as string[]).some((url) => /:\d{5}/.test(url))
  },
  'E19-deep': { says: 'Lists in lists, a thousand of them.', breaks: '7', at: 'E19', fails: holds(/\[{1000}/) },
  'E19-empty': {
    says: 'An empty definition of a tool.',
    breaks: '7',
    at: 'E19',
    fails: ({ body }) => Object.keys(body.definition as object).length === 0
  },
  'E19-not-json': {
    says: 'A definition that is missing.',
    breaks: '7.1',
    at: 'E19',
    fails: ({ body }) => body === undefined
  },
  'E20-unknown': { says: 'A tool that is not there.', breaks: '7', at: 'E20' },
  'E22-64-bits': {
    says: 'An id of a project beyond 64 bits.',
    breaks: '7',
    at: 'E22',
    fails: ({ path }) => number(path, 'project_id') >= 2 ** 63
  },
  'E23-nul': { says: 'A NUL in instructions.', breaks: '7', at: 'E23', fails: holds(/\\u0000/) },
  'E23-long': {
    says: 'Instructions of more than 5000 characters.',
    breaks: '7',
    at: 'E23',
    fails: (sent) => text(sent).length > 5000
  },
  'E23-emoji': {
    says: 'An emoji in instructions.',
    breaks: '7',
    at: 'E23',
    fails: holds(/\p{Extended_Pictographic}/u)
  },
  'E24-twice-fails': { says: 'A second link of a file.', breaks: '3.3', at: 'E22,E24' },
  'E25-unknown': { says: 'A file that is not there.', breaks: '7', at: 'E25' },
  'E26-linked-fails': { says: 'The deletion of a linked file.', breaks: '3.2', at: 'E22,E24,E26' },
  'E27-emoji': {
    says: 'An emoji in an address.',
    breaks: '7',
    at: 'E27',
    fails: holds(/\p{Extended_Pictographic}/u)
  },
  'E27-same': {
    says: 'An invitation of one address twice.',
    breaks: '7',
    at: 'E27',
    fails: ({ body }) => new Set(body.emails as string[]).size < (body.emails as string[]).length
  },
  'E28-unknown': { says: 'A deletion of a user who is not there.', breaks: '7', at: 'E28' },
  'E30-32-bits': {
    says: 'An id of a limit beyond 32 bits.',
    breaks: '7',
    at: 'E30',
    fails: ({ path }) => number(path, 'token_rate_limit_id') >= 2 ** 31
  }
} as const satisfies Switches
