export { type RegisterOptions, register } from './doors/worker/register.js'
export { type ServeOptions, serve } from './doors/worker/serve.js'
