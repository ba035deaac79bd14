import { Maker } from '../../fixtures/maker.js'
import { persona } from '../../fixtures/personas.js'
import { tool } from '../../fixtures/tools.js'
import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { startTestMock, type TestMock, testNow } from '../mock.js'

const mock = await startTestMock({ fixtures: 'empty' })
const unguarded = await startTestMock({ fixtures: 'empty', assume: { 'tool.builtin': 'deleted' } })
const observed = await startTestMock({ fixtures: 'empty', assume: { 'errors.missing': 'per-operation' } })
const telling = await startTestMock({ fixtures: 'empty', assume: { 'errors.missing': '403-foreign' } })

/** Four tools: one built in, one of the admin, one of the curator, one without an owner. Two agents have all of them. */
async function withTools(on: TestMock): Promise<void> {
  await on.reset()
  const { rows } = on.sandbox
  const make = new Maker(1, Date.parse(testNow))
  const userId = (key: string) => rows.users.first('byKey', key)?.id ?? null
  rows.tools.put(tool(make, { id: 1, name: 'search', in_code_tool_id: 'SearchTool' }))
  rows.tools.put(tool(make, { id: 2, name: 'weather', user_id: userId('admin') }))
  rows.tools.put(tool(make, { id: 3, name: 'tickets', user_id: userId('curator') }))
  rows.tools.put(tool(make, { id: 4, name: 'stock' }))
  for (const id of [1, 2]) {
    rows.personas.put(persona(make, { id, name: `Agent ${id}`, owner_id: userId('basic'), tool_ids: [1, 2, 3, 4] }))
  }
}

const remove = (on: TestMock, id: number, as = 'admin') => on.call('DELETE', `/api/admin/tool/custom/${id}`, { as })

async function toolsOf(on: TestMock, personaId: number): Promise<number[]> {
  const { body } = await on.call('GET', `/api/persona/${personaId}`)
  return body.tools.map((it: { id: number }) => it.id)
}

describe('E20, deleting a custom tool', () => {
  beforeEach(() => Promise.all([mock, unguarded, observed, telling].map(withTools)))

  it('removes the tool from every agent', async () => {
    expect(await toolsOf(mock, 1)).toEqual([1, 2, 3, 4])
    const { status, body } = await remove(mock, 2)
    expect(status).toBe(200)
    expect(body).toBeNull()
    expect(await toolsOf(mock, 1)).toEqual([1, 3, 4])
    expect(await toolsOf(mock, 2)).toEqual([1, 3, 4])
    expect(mock.sandbox.rows.tools.get(2)).toBeUndefined()
  })

  it('is a 404 for an unknown or already deleted tool', async () => {
    expect((await remove(mock, 99)).status).toBe(404)
    await remove(mock, 4)
    const again = await remove(mock, 4)
    expect(again.status).toBe(404)
    expect(again.body).toEqual({ detail: 'Tool by specified id does not exist' })
  })

  it('keeps a built-in tool if tool.builtin is refused', async () => {
    const { status, body, headers } = await remove(mock, 1)
    expect(status).toBe(400)
    expect(body.detail).toBe('Built-in tools cannot be modified through this endpoint.')
    expect(headers.get('x-mock-assumed')).toContain('tool.builtin')
    expect(await toolsOf(mock, 1)).toContain(1)
  })

  it('deletes a built-in tool if tool.builtin is deleted', async () => {
    expect((await remove(unguarded, 1)).status).toBe(200)
    expect(await toolsOf(unguarded, 1)).toEqual([2, 3, 4])
  })

  it('lets a curator delete own tools only', async () => {
    expect((await remove(mock, 2, 'curator')).status).toBe(404)
    expect((await remove(mock, 4, 'curator')).status).toBe(404)
    expect(await toolsOf(mock, 1)).toEqual([1, 2, 3, 4])
    expect((await remove(mock, 3, 'curator')).status).toBe(200)
    expect(await toolsOf(mock, 1)).toEqual([1, 2, 4])
  })

  it('is a 403 for a tool that the curator sees on an agent', async () => {
    const persona = mock.sandbox.rows.personas.get(1) as Rows['personas']
    mock.sandbox.rows.personas.put({ ...persona, is_public: true })
    const { status, body, headers } = await remove(mock, 2, 'curator')
    expect([status, body]).toEqual([403, { detail: 'You can only modify actions that you created.' }])
    expect(headers.get('x-mock-assumed')).toContain('errors.missing')
    expect(mock.sandbox.rows.tools.get(2)).toBeDefined()
  })

  it('reveals the tool of another user to a curator if errors.missing says so', async () => {
    const { status, body } = await remove(observed, 2, 'curator')
    expect(status).toBe(403)
    expect(body.detail).toBe('You can only modify actions that you created.')
    expect((await remove(observed, 99, 'curator')).status).toBe(404)
    const foreign = await remove(telling, 2, 'curator')
    expect(foreign.status).toBe(403)
    expect(foreign.body.detail).toBe('This belongs to another user.')
    expect((await remove(telling, 99, 'curator')).status).toBe(404)
    expect(observed.sandbox.rows.tools.get(2)).toBeDefined()
  })
})
