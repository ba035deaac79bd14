import { startTestMock } from './mock.js'
import { fixtureSets } from '../fixtures/index.js'
for (const set of fixtureSets) for (const profile of ['documented','observed'] as const) {
  test(`${set} ${profile}`, async () => {
    const mock = await startTestMock({ fixtures: set, profile })
    const bad: unknown[] = []
    const go = async (as: string, m: string, p: string, body?: unknown) => { const r = await mock.call(m, p, { as, ...(body ? {body}: {}) }); if (r.status >= 500) bad.push([as, m, p, r.status, r.text.slice(0,200)]) }
    const rows = mock.sandbox.rows
    for (const as of ['admin','curator','basic']) {
      for (const q of ['', '?page_size=100','?query=the','?query=__proto__','?query=%00']) { await go(as,'GET','/api/chat/get-user-chat-sessions'+(q.includes('query')?'':q)); await go(as,'GET','/api/chat/search'+q) }
      for (const p of [...rows.personas.all()].slice(0,60)) await go(as,'GET',`/api/persona/${p.id}`)
      for (const c of [...rows.credentials.all()].slice(0,60)) await go(as,'GET',`/api/manage/credential/${c.id}`)
      for (const c of [...rows.connectors.all()].slice(0,60)) await go(as,'GET',`/api/manage/connector/${c.id}`)
      for (const c of [...rows.userFiles.all()].slice(0,110)) await go(as,'GET',`/api/user/projects/file/${c.id}`)
      for (const c of [...rows.projects.all()].slice(0,60)) await go(as,'GET',`/api/user/projects/${c.id}/details`)
      await go(as,'GET','/api/user/projects/'); await go(as,'GET','/api/manage/admin/credential')
      for (const s of ['web','file','slack']) { await go(as,'GET','/api/manage/admin/similar-credentials/'+s); await go(as,'GET','/api/manage/admin/similar-credentials/'+s+'?get_editable=true') }
      for (const b of [{}, {secondary_index:true},{get_all_connectors:true},{name_filter:'__proto__'},{docs_count_operator:'>',docs_count_value:0}]) await go(as,'POST','/api/manage/admin/connector/indexing-status', b)
    }
    expect(bad).toEqual([])
  }, 120000)
}
