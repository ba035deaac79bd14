import type { Play, Scene } from './scene.js'

/** E27: one bad address, and nobody is invited. Addresses are under example.com, where nobody is (RFC 2606). */
export const invitePlays: Play[] = [
  {
    title: 'a bulk invite with one bad address',
    operations: ['inviteUsers'],
    mutating: true,
    async play(scene) {
      const address = (name: string) => `${scene.run.mark(name)}@example.com`
      const meaning = await meaningOf(scene, address('control'))
      for (const bad of ['not an address', '@example.com', 'nobody@']) {
        for (const isLast of [true, false]) {
          const good = address('invited')
          const before = await invite(scene, [])
          const emails = isLast ? [good, bad] : [bad, good]
          const exchange = await scene.ask('inviteUsers', { body: { emails } }, 'admin', 'bad-address')
          const { status } = exchange.reply
          const expected = `a refusal: ${JSON.stringify(bad)} is no address`
          if (!scene.check('bulk_invite_all_or_nothing', 'inviteUsers', status >= 400, expected)) continue
          scene.run.answers.add('invites.invalid', String(status), scene.title)
          if (meaning === undefined) continue
          // A list is as long as before; where the integer counts who is new, the good address still is.
          const after = await invite(scene, meaning === 'list-size' ? [] : [good])
          const wanted = meaning === 'list-size' ? before : 1
          const isNobody = `${wanted}: ${good} is not invited`
          scene.check('bulk_invite_all_or_nothing', 'inviteUsers', after === wanted, isNobody, String(after))
        }
      }
    }
  }
]

/** What the integer counts, tried with an address of its own; nothing where it is neither of the ledger's choices. */
async function meaningOf(scene: Scene, email: string): Promise<'list-size' | 'new' | undefined> {
  const before = await invite(scene, [])
  const first = await invite(scene, [email])
  const second = await invite(scene, [email])
  const meaning =
    first === before + 1 && second === first
      ? 'list-size'
      : before === 0 && first === 1 && second === 0
        ? 'new'
        : undefined
  if (meaning) scene.run.answers.add('invites.count', meaning, 'one address invited twice')
  else
    scene.run.record.couldNot(
      'inviteUsers',
      'nobody is invited',
      `the integer counts something else (${before}, ${first}, ${second})`
    )
  return meaning
}

function invite(scene: Scene, emails: string[]): Promise<number> {
  return scene.must('inviteUsers', { body: { emails } })
}
