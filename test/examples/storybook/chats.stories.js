/** The chats of a user, as the API lists them. */
function chats() {
  const list = document.createElement('ul')
  const show = async () => {
    const response = await fetch('http://api.example/api/chat/get-user-chat-sessions', {
      headers: { Authorization: 'Bearer basic' }
    })
    const names = response.ok ? (await response.json()).sessions.map(({ name }) => name) : ['There is no answer']
    list.append(...names.map((name) => Object.assign(document.createElement('li'), { textContent: name })))
  }
  show()
  return list
}

export default { title: 'Chats', render: chats }

export const FirstDay = { parameters: { scenario: 'first-day' } }

export const OneMore = {
  parameters: {
    scenario: 'first-day',
    arrange(box) {
      const { id } = box.rows('users').find(({ key }) => key === 'basic')
      box.create('chatSessions', { user_id: id, name: 'Plan the offsite' })
    }
  }
}

export const Refused = {
  parameters: { arrange: (box) => box.override({ operation: 'listChatSessions', status: 503 }) }
}
