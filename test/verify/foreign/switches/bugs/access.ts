import type { Switches } from '../switch.js'

/** Tokens and roles. */
export const access = {
  'any-token': { says: 'Any token is that of an administrator.', breaks: '5.1', at: 'E29,E2' },
  'basic-scheme': { says: 'A good token is taken under the scheme Basic.', breaks: '5.1', at: 'E29,E2' },
  'bare-token': { says: 'A good token is taken without a scheme.', breaks: '5.1', at: 'E29,E2' },
  'token-with-suffix': { says: 'A good token with more text after it is taken.', breaks: '5.1', at: 'E29,E2' },
  'token-start': { says: 'The beginning of a good token is taken.', breaks: '5.1', at: 'E29,E2' },
  'token-in-any-case': { says: 'A token is compared without regard to case.', breaks: '5.1', at: 'E29,E2' },
  'token-in-query': { says: 'A token in the query is taken.', breaks: '5.1', at: 'E29,E2' },
  'empty-token': { says: 'An empty token is that of an administrator.', breaks: '5.1', at: 'E29,E2' },
  'token-sticks': {
    says: 'A connection that once sent a good token needs none any more.',
    breaks: '5.1',
    at: 'E29,E2'
  },
  'no-token-for-head': { says: 'HEAD needs no token.', breaks: '5.1', at: 'E29,E2' },
  'role-always-admin': { says: 'Everybody is told that they are an administrator.', breaks: 'E29', at: 'E29' },
  'open-all': { says: 'Operations of administrators are open to everybody.', breaks: '5.2', at: 'E10,E16,E27,E29' },
  'open-if-encoded': {
    says: 'The path of an administrator is not known by an encoded letter, and open.',
    breaks: '5.2',
    at: 'E10'
  },
  'open-if-doubled': {
    says: 'The path of an administrator is not known by two slashes, and open.',
    breaks: '5.2',
    at: 'E10'
  },
  'effect-before-role': { says: 'A limit is deleted before its deletion is refused.', breaks: '5.2', at: 'E30' }
} as const satisfies Switches

const names: Record<string, string> = {
  E5: 'Agents are read',
  E8: 'Credentials are made',
  E16: 'The report of indexing is read',
  E17: 'Files are uploaded',
  E18: 'Pages are opened',
  E26: 'Files are deleted',
  E30: 'Limits are deleted'
}

/** Operations that ask for no token. */
export const withoutToken: Switches = Object.fromEntries(
  Object.entries(names).map(([at, says]) => [`no-token ${at}`, { says: `${says} without a token.`, breaks: '5', at }])
)

const administrators = ['E10', 'E11', 'E12', 'E16', 'E17', 'E19', 'E20', 'E27', 'E28', 'E30']

/** Operations of administrators that anybody may call. */
export const openToAll: Switches = Object.fromEntries(
  administrators.map((at) => [
    `open ${at}`,
    { says: `${at}, which is for administrators, is answered for every user.`, breaks: '5.2', at }
  ])
)
