import { call, type Input } from '../client.js'
import { say } from '../parts/toasts.js'
import { go, href, route } from '../route.js'
import { deleteNow } from './later.js'

/** Creates a sandbox, and offers to drop it again. If it has been used by then, it asks first. */
export async function makeSandbox(body: NonNullable<Input<'makeSandbox'>['body']>, done: string): Promise<void> {
  const { name, from = 'default' } = body
  const useOf = async () => {
    const [{ requests }, { latest }] = await Promise.all([
      call('getSandbox', { path: { name } }),
      call('getHistory', {}, name)
    ])
    return `${requests} ${latest}`
  }
  const drop = async () => {
    const { sandbox, page } = route.peek()
    if (sandbox === name) go(href(page, [], {}, from))
    await call('dropSandbox', { path: { name } })
    say('Undone.')
  }
  await deleteNow('dropSandbox', name)
  await call('makeSandbox', { body })
  const unused = await useOf()
  const undo = async () => {
    if ((await useOf()) === unused) return drop()
    say(`Sandbox ${name} has been used since. What happened in it is lost too.`, 'failed', {
      verb: 'Drop it',
      run: drop
    })
  }
  say(done, 'done', { verb: 'Undo', run: undo })
}
