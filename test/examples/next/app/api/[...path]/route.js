import { fetch } from '../../../mock.js'

export const dynamic = 'force-dynamic'
const answer = (request) => fetch(request)

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT }
