const shownOf = ({ email, role }) => ({ email, role })
const cookie = (value) => ({ 'Set-Cookie': `session=${value}; Path=/; HttpOnly; SameSite=Lax` })

export function login({ body }, { rows, sandbox, refuse, reply }) {
  const user = rows.users.all().find(({ email, is_active }) => email === body.email && is_active)
  if (!user) refuse(401, 'Nobody has this address.')
  // The token is a user's key. With the sandbox after it, a browser stays where a link has put it.
  return reply(200, shownOf(user), cookie(`${user.key}~${sandbox}`))
}

export const logout = (_, { sandbox, reply }) => reply(204, undefined, cookie(`~${sandbox}`))

export const getMe = (_, { user }) => shownOf(user)

const settingsOf = (rows, { id }) => rows.settings.get(id) ?? { id, theme: 'light', digest: true }

export const getSettings = (_, { rows, user }) => settingsOf(rows, user)

export const changeSettings = ({ body }, { rows, user }) => rows.settings.put({ ...settingsOf(rows, user), ...body })

export function readAllNotifications(_, { rows }) {
  for (const it of rows.notifications.all()) rows.notifications.put({ ...it, is_read: true })
}
