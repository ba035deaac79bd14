import { startTestMock } from '../../mock.js'

/** The samples of a text in Prometheus' format, by name and labels as written; each line must be in that format. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  for (const line of text.trimEnd().split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-z_0-9]+) (.+)$/.exec(line)
    if (comment) {
      if (comment[1] === 'TYPE') types.set(comment[2] as string, comment[3] as string)
      continue
    }
    const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"'
    const sample = new RegExp(`^([a-z_0-9]+)(\\{${label}(?:,${label})*\\})? (\\S+)$`).exec(line)
    expect([line, sample !== null]).toEqual([line, true])
    const [, name, labels = '', value] = sample as unknown as [string, string, string | undefined, string]
    expect(types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram').toBe(true)
    expect(samples.has(name + labels)).toBe(false)
    samples.set(name + labels, Number(value))
  }
  expect(text.endsWith('\n')).toBe(true)
  expect([...samples.values()].every(Number.isFinite)).toBe(true)
  return samples
}

const mock = await startTestMock({ strict: false })
const metrics = async () => samplesOf((await mock.call('GET', '/__mock/metrics')).text)
const role = (as = 'admin') => mock.call('GET', '/api/get-user-role', { as })

test('metrics are a text in the format of Prometheus', async () => {
  const { status, headers, text } = await mock.call('GET', '/__mock/metrics')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const samples = samplesOf(text)
  expect(samples.get('kcm_sandboxes')).toBe(mock.sandboxes.list().length)
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
})

test('requests are counted by operation and status, over all sandboxes, also after resets', async () => {
  await role('admin~one')
  await role('curator~two')
  await role('nobody')
  await mock.call('GET', '/api/persnoa')
  await mock.call('POST', '/api/user/projects/1/instructions?a=1', { body: { instructions: 'x', b: 2 } })
  await mock.call('GET', '/api/get-user-role', { headers: { Prefer: 'fault=EMPTY_RESPONSE' } }).catch(() => {})
  await mock.call('POST', '/__mock/reset')
  await mock.reset()
  const samples = await metrics()
  const counted = (operation: string, status: number) =>
    samples.get(`kcm_requests_total{operation="${operation}",status="${status}"}`)
  expect([counted('getUserRole', 200), counted('getUserRole', 401), counted('getUserRole', 0)]).toEqual([2, 1, 1])
  expect(counted('none', 404)).toBe(1)
  expect(samples.get('kcm_contract_violations_total{operation="setProjectInstructions"}')).toBe(2)
  expect(samples.get('kcm_contract_violations_total{operation="getUserRole"}')).toBe(0)
})

test('a histogram of durations counts each request in every bucket that it fits', async () => {
  const fresh = await startTestMock()
  for (const delay of [0, 60, 300]) {
    await fresh.call('GET', '/api/persona/1', { headers: { Prefer: `delay=${delay}` } })
  }
  const samples = samplesOf((await fresh.call('GET', '/__mock/metrics')).text)
  const of = (suffix: string, le = '') =>
    samples.get(`kcm_request_duration_seconds_${suffix}{operation="getPersona"${le && `,le="${le}"`}}`) as number
  const buckets = [...samples]
    .filter(([name]) => name.startsWith('kcm_request_duration_seconds_bucket'))
    .map(([, n]) => n)
  expect(buckets).toEqual([...buckets].sort((a, b) => a - b))
  expect([of('bucket', '+Inf'), of('count')]).toEqual([3, 3])
  // A delay is never too short: 60 ms take more than 50, and 300 more than 100.
  expect([of('bucket', '0.05') <= 1, of('bucket', '0.1') <= 2]).toEqual([true, true])
  expect(of('sum')).toBeGreaterThan(0.359)
})

test('the size of the journals covers all sandboxes', async () => {
  const before = await metrics()
  await role('admin~three')
  const after = await metrics()
  const grown = (name: string) => (after.get(name) as number) - (before.get(name) as number)
  expect([grown('kcm_sandboxes'), grown('kcm_journal_entries')]).toEqual([1, 1])
  expect(grown('kcm_journal_bytes')).toBeGreaterThan(100)
})

test('metrics need the control token if there is one, and health does not', async () => {
  const closed = await startTestMock({ host: '0.0.0.0', controlToken: 'open-sesame' })
  expect((await closed.call('GET', '/__mock/metrics')).status).toBe(401)
  expect((await closed.call('GET', '/__mock/metrics', { as: 'open-sesame' })).status).toBe(200)
  const { status, body } = await closed.call('GET', '/__mock/health', { as: null })
  expect([status, Object.keys(body)]).toEqual([200, ['status', 'version', 'contract', 'instance']])
})

test('the OpenAPI document names the media type of metrics and of events', async () => {
  const { paths } = (await mock.call('GET', '/__mock/openapi.json?control=true')).body
  const media = (path: string) => Object.keys(paths[path].get.responses[200].content)
  expect([media('/__mock/metrics'), media('/__mock/events')]).toEqual([
    ['text/plain; version=0.0.4; charset=utf-8'],
    ['text/event-stream']
  ])
})
