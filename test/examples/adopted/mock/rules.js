function* answer(message) {
  for (const word of `You asked “${message}”. I am a mock, so I say it again.`.split(' '))
    yield { answer_piece: `${word} ` }
}

export default {
  // POST /api/chat/send-message
  handle_new_chat_message_api_chat_send_message_post: ({ body }, { rows, refuse, reply }) => {
    if (!rows.chatSessions.get(body.chat_session_id)) refuse(404, 'Chat session not found')
    return reply(200, answer(body.message), { 'Content-Type': 'application/x-ndjson' })
  },

  // POST /api/user/projects/file/upload
  upload_user_files_api_user_projects_file_upload_post: (_, { rows, now, otherwise }) => {
    const { body } = otherwise()
    const settles_at = new Date(Date.parse(now) + 3000).toISOString()
    rows.userFiles.put({ ...rows.userFiles.get(body.id), status: 'PROCESSING', settles_at, settles_as: 'COMPLETED' })
    return { ...body, status: 'PROCESSING' }
  }
}
