// A folder that begins with an underscore is private to Next; %5F is one.
export { DELETE, GET, PATCH, POST, PUT } from '../../api/[...path]/route.js'

export const dynamic = 'force-dynamic'
