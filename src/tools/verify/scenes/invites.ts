import { changing, type Play, type Scene } from './any/scene.js'

/**
 * Texts that are hardly addresses, new in every run. The last three are not texts at all (E27: "validated as a
 * string").
 */
const badsOf = ({ run }: Scene) => [
  `not an ${run.mark('address')}`,
  `@${run.mark('host')}.example.com`,
  `${run.mark('nobody')}@`,
  7,
  null,
  {}
]

type CountMeaning = 'list-size' | 'new'

/** E27: with one bad address, no one is invited. Addresses are under example.com, which has no users (RFC 2606). */
export const invitePlays: Play[] = [
  changing('a bulk invite with one bad address', ['inviteUsers'], async (scene) => {
    const meaning = await meaningOf(scene, address(scene, 'control'))
    if (meaning === 'refused') return
    for (const bad of badsOf(scene)) {
      // A server may accept any text as an address.
      if (typeof bad === 'string' && (await isTaken(scene, bad, meaning))) {
        scene.run.answers.add('invites.addresses', 'any', `${JSON.stringify(bad)} alone`)
        continue
      }
      for (const place of [0, 1, 2]) await refused(scene, bad, place, meaning)
    }
  }),
  changing('bulk invites with a bad address by six requests at the same time', ['inviteUsers'], async (scene) => {
    const meaning = await meaningOf(scene, address(scene, 'control'))
    if (meaning === undefined || meaning === 'refused') return
    const before = await invite(scene, [])
    const goods = Array.from({ length: 6 }, () => address(scene, 'race'))
    await Promise.all(goods.map((good) => scene.run.exactly('inviteUsers', { body: { emails: [good, 7] } })))
    const after = await invite(scene, meaning === 'list-size' ? [] : goods)
    const wanted = meaning === 'list-size' ? before : goods.length
    scene.check('bulk_invite_all_or_nothing', 'inviteUsers', after === wanted, `${wanted}: nobody is invited`)
  })
]

function address({ run }: Scene, name: string): string {
  return `${run.mark(name)}@example.com`
}

/** Whether a text on its own is accepted as an address. */
async function isTaken(scene: Scene, bad: string, meaning: CountMeaning | undefined): Promise<boolean> {
  const before = await invite(scene, [])
  const { reply } = await scene.ask('inviteUsers', { body: { emails: [bad] } }, 'admin', 'bad-address')
  if (reply.status >= 300) return false
  // A server that answers with success but invites no one has left it out.
  return meaning === undefined || reply.body !== before
}

/** Valid addresses with a bad one at some place. */
async function refused(scene: Scene, bad: unknown, place: number, meaning: CountMeaning | undefined): Promise<void> {
  const goods = [address(scene, 'first'), address(scene, 'second')]
  const before = await invite(scene, [])
  const emails = goods.toSpliced(place, 0, bad as string)
  const exchange = await scene.ask('inviteUsers', { body: { emails } }, 'admin', 'bad-address')
  const { status } = exchange.reply
  const expected = `a refusal: ${JSON.stringify(bad)} is no address`
  if (!scene.check('bulk_invite_all_or_nothing', 'inviteUsers', status >= 300, expected)) return
  if (typeof bad === 'string') scene.run.answers.add('invites.invalid', String(status), scene.title)
  if (meaning === undefined) return
  // The list must be as long as before. If the integer counts new users, the valid addresses must still be new.
  const after = await invite(scene, meaning === 'list-size' ? [] : goods)
  const wanted = meaning === 'list-size' ? before : goods.length
  const isNobody = `${wanted}: ${goods.join(' and ')} are not invited`
  scene.check('bulk_invite_all_or_nothing', 'inviteUsers', after === wanted, isNobody, String(after))
}

/** Finds what the integer counts, with a separate address. Undefined if no call shows who is invited. */
async function meaningOf(scene: Scene, email: string): Promise<CountMeaning | 'refused' | undefined> {
  const before = await invite(scene, [])
  const told = await scene.run.ask('inviteUsers', { body: { emails: [email] } })
  if (told.reply.status >= 400 && told.reply.status < 500) {
    const why = `the server invites nobody under example.com (${told.reply.status})`
    scene.run.results.couldNot('inviteUsers', 'nobody is invited', why)
    return 'refused'
  }
  const first = await invite(scene, [email])
  const second = await invite(scene, [email, address(scene, 'other')])
  const once = told.reply.body
  if (once === before + 1 && first === once && second === first + 1) {
    scene.run.answers.add('invites.count', 'list-size', 'an address invited twice')
    return 'list-size'
  }
  if (before === 0 && once === 1 && first === 0 && second === 1) {
    scene.run.answers.add('invites.count', 'new', 'an address invited twice')
    return 'new'
  }
  const counts = `the integer counts something else (${before}, ${once}, ${first}, ${second})`
  scene.run.results.couldNot('inviteUsers', 'nobody is invited', counts)
  return undefined
}

async function invite(scene: Scene, emails: string[]): Promise<number> {
  const { reply } = await scene.ask('inviteUsers', { body: { emails } })
  return Number(reply.body)
}
