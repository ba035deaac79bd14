import { isRight, workloads } from '../workloads.mjs'

/** How many of a hundred requests are of a workload. What is created is deleted again, so that the state stays as large. */
const shares = {
  'get-persona': 35,
  'get-projects': 15,
  search: 15,
  'patch-persona': 14,
  'post-session': 10,
  invalid: 10,
  upload: 1
}
const sandboxes = 10

/** Requests in a fixed order that mixes the workloads and the sandboxes. */
export function createMix() {
  const turns = workloads.flatMap((workload) => Array(shares[workload.id]).fill(workload))
  const followUps = []
  let count = 0
  return {
    next() {
      const due = followUps.shift()
      if (due) return due
      // 37 and 100 have no common divisor: each of a hundred comes once.
      const workload = turns[(count * 37) % turns.length]
      const sandbox = Math.floor(count++ / turns.length) % sandboxes
      return { ...workload, sandbox, headers: { ...workload.headers, Authorization: `Bearer admin~soak-${sandbox}` } }
    },
    /** What is wrong with an answer; undefined: nothing. */
    judge(request, { status, body }) {
      if (!isRight(request, status)) return `${request.title}: ${status} ${body.toString().slice(0, 200)}`
      if (request.id === 'post-session') {
        const path = `/api/chat/delete-chat-session/${JSON.parse(body.toString()).chat_session_id}`
        const { sandbox, headers } = request
        const { Authorization } = headers
        followUps.push({
          id: 'delete',
          title: 'DELETE chat session',
          method: 'DELETE',
          path,
          status: 200,
          sandbox,
          headers: { Authorization }
        })
      }
      return undefined
    }
  }
}
