import { startTestMock } from '../mock.js'

const path = '/api/web-search/open-urls'
const mock = await startTestMock({ fixtures: 'empty' })
const otherSeed = await startTestMock({ fixtures: 'empty', seed: 2 })
const blank = await startTestMock({ fixtures: 'empty', assume: { 'web.content': 'blank' } })
const answering = await startTestMock({ fixtures: 'empty', assume: { 'web.private-addresses': 'answered' } })
const unlimited = await startTestMock({ fixtures: 'empty', assume: { 'web.limit': 'none' } })

const open = async (urls: unknown, on = mock) => on.call('POST', path, { as: 'basic', body: { urls } })
const pages = async (urls: unknown, on = mock) => (await open(urls, on)).body.results
const urlsOf = (results: { unique_identifier_to_strip_away: string }[]) =>
  results.map((result) => result.unique_identifier_to_strip_away)

test('E18 answers every URL in the order of the request, also a repeated one', async () => {
  const urls = ['https://b.example.com/', 'http://a.example.com/x?y=1', 'https://b.example.com/']
  const { status, body } = await open(urls)
  expect(status).toBe(200)
  expect(body.provider_type).toBe('service_web_crawler')
  expect(urlsOf(body.results)).toEqual(urls)
  expect(body.results[0]).toEqual(body.results[2])
  for (const result of body.results) expect(result).toMatchObject({ document_citation_number: -1, type: 'open_url' })
})

test('E18 trims URLs and drops blank ones', async () => {
  expect(urlsOf(await pages(['', '  https://example.com/a\n', '   ']))).toEqual(['https://example.com/a'])
})

test('E18 refuses a list of blanks with 422, like an empty one', async () => {
  const blanks = await open(['', ' \t'])
  expect(blanks.status).toBe(422)
  expect(blanks.body.detail).toEqual([
    expect.objectContaining({
      type: 'value_error',
      loc: ['body', 'urls'],
      msg: 'Value error, urls must include at least one non-empty value'
    })
  ])
  expect((await open([])).body.detail[0]).toMatchObject({ type: 'too_short', loc: ['body', 'urls'] })
})

test.each([
  'no url',
  'ftp://example.com/file',
  'javascript:alert(1)',
  'https://',
  'https://docs.invalid/page',
  'https://INVALID',
  'http://a.b.invalid./',
  `https://${'a'.repeat(254)}.example.com/`,
  `https://${'a'.repeat(64)}.example.com/`,
  `https://${'a'.repeat(50)}.${'b'.repeat(50)}.${'c'.repeat(50)}.${'d'.repeat(50)}.${'e'.repeat(51)}/`,
  'https://%ff.example.com/'
])('E18 leaves out unreadable pages: %s', async (url) => {
  const readable = ['https://invalid.example.com/', 'https://uninvalid/']
  const { status, body } = await open([url, ...readable])
  expect(status).toBe(200)
  expect(urlsOf(body.results)).toEqual(readable)
  expect((await open([url])).body).toEqual({ results: [], provider_type: 'service_web_crawler' })
})

// A conversion would drop soft hyphens and make these short: they are left out only without it.
test.each([
  ['a label of 64 characters', `https://${'\u00ad'.repeat(57)}example.com/`],
  ['a host of 254 characters', `https://${`${'\u00ad'.repeat(60)}a.`.repeat(4)}example/`],
  ['capitals, spaces and a user', ` hT\ttPs:\\u@v@${'\u00ad'.repeat(64)}example.com:80?q`],
  ['percent signs', `http:${'%C2%AD'.repeat(64)}example.com`]
])('E18 leaves out a host that is too long before it is converted, %s', async (_, url) => {
  expect(new URL(url).hostname.length).toBeLessThan(30)
  expect(urlsOf(await pages([url, 'https://example.com/']))).toEqual(['https://example.com/'])
})

test('E18 leaves out a user of more than 255 characters: reading one takes quadratic time', async () => {
  const urls = ['@'.repeat(255), `${'u'.repeat(254)}@`, '@'.repeat(256), `${'u'.repeat(300)}:word@`, '@'.repeat(7900)]
  const list = urls.map((user) => `https://${user}@example.com/`)
  expect(urlsOf(await pages(list))).toEqual(list.slice(0, 2))
})

test.each([
  `https://${'a'.repeat(63)}.example.com./`,
  `https://${'\u00ad'.repeat(50)}example.com:8080/`,
  'HTTPS:\\user:word@größe.example.com/x',
  'http:%65xample.com',
  `https://${'%C3%A4'.repeat(50)}.example.com`
])('E18 answers a host that is short enough: %s', async (url) => {
  expect(urlsOf(await pages([url]))).toEqual([url])
})

test.each([
  'http://localhost/',
  'http://LOCALHOST:8080/x',
  'http://app.localhost./',
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fc00::1]/',
  'http://[fdff::1]/',
  'http://[fe80::1]/',
  'http://metadata/computeMetadata/v1/',
  'http://metadata.google.internal/',
  'http://metadata.azure.com/metadata/instance',
  'http://kubernetes.default/api',
  'https://kubernetes.default.svc/api',
  'http://files.prod.svc/',
  'http://files.prod.svc.cluster.local./',
  'http://wiki.corp.internal/',
  'http://[64:ff9b::10.1.2.3]/',
  'http://[2002:a9fe:a9fe::1]/'
])('E18 leaves out private addresses, unless web.private-addresses is answered: %s', async (url) => {
  const [hidden, shown] = [await open([url]), await open([url], answering)]
  expect([hidden.status, hidden.body.results, urlsOf(shown.body.results)]).toEqual([200, [], [url]])
  for (const { headers } of [hidden, shown]) {
    expect(headers.get('x-mock-assumed')).toContain('web.private-addresses')
  }
})

test('E18 answers public addresses that resemble private ones', async () => {
  const urls = [
    ...['http://11.0.0.1/', 'http://172.32.0.1/', 'http://192.169.0.1/', 'http://8.8.8.8/', 'http://[2001:db8::1]/'],
    ...['http://[64:ff9b::808:808]/', 'http://[2002:808:808::1]/'],
    ...['http://localhost.example.com/', 'http://internal.example.com/', 'http://10.0.0.1.example.com/']
  ]
  expect(urlsOf(await pages(urls))).toEqual(urls)
})

test('E18 writes a title from the address, and some paragraphs', async () => {
  const [{ content }, { content: home }, { content: odd }] = await pages([
    'https://docs.example.com/guides/set-up_vpn.html',
    'https://example.org',
    'https://example.org/%E0%A4%A/'
  ])
  const words = `one-two-${'x'.repeat(25)}-three-four-five-six-seven-eight-nine`
  const [{ content: long }] = await pages([`https://example.org/${words}/`])
  const [title, ...paragraphs] = content.split('\n\n')
  expect(title).toBe('Set Up Vpn | docs.example.com')
  expect(paragraphs.length).toBeGreaterThanOrEqual(3)
  expect(content).not.toMatch(/[{}]|undefined/)
  expect(home.split('\n')[0]).toBe('example.org')
  expect(odd.split('\n')[0]).toBe('E0 A4 A | example.org')
  expect(long.split('\n')[0]).toBe('One Two Three Four Five Six Seven Eight | example.org')
  for (const paragraph of paragraphs) expect(paragraph).toMatch(/^[A-Z].{100,}\.$/)
})

test('E18 makes the text from the URL and the seed only', async () => {
  const urls = ['https://example.com/a?page=1', 'https://example.com/a?page=2']
  const [a, b] = await pages(urls)
  expect(a.content.split('\n').slice(1)).not.toEqual(b.content.split('\n').slice(1))
  await pages(['https://example.com/between'])
  mock.sandbox.clock.set({ now: mock.sandbox.clock.now + 86_400_000 })
  expect((await pages(urls.reverse()))[1]).toEqual(a)
  const [other] = await pages(urls.slice(1), otherSeed)
  expect(other.content.split('\n')[0]).toBe(a.content.split('\n')[0])
  expect(other.content).not.toBe(a.content)
})

test('E18 keeps the text below 15000 characters, however long the URL', async () => {
  const words = `${'x'.repeat(24)}-`.repeat(300)
  const [page] = await pages([`https://${'a.'.repeat(120)}example.com/${words}`])
  expect(page.content.length).toBeLessThan(15_000)
  expect(page.content.length).toBeGreaterThan(700)
})

test('E18 returns pages without text if web.content is blank', async () => {
  const { body, headers } = await open(['https://example.com/a', 'https://x.invalid/'], blank)
  expect(urlsOf(body.results)).toEqual(['https://example.com/a'])
  expect(body.results[0].content).toBe('')
  expect(headers.get('x-mock-assumed')).toContain('web.content')
})

test('E18 refuses more than 1000 URLs, unless web.limit is none', async () => {
  const urls = Array.from({ length: 1001 }, (_, index) => `https://example.com/${index}`)
  const { status, body, headers } = await open(urls)
  expect(status).toBe(413)
  expect(body.detail).toBe('1001 URLs are too many: ask for at most 1000 at a time.')
  expect(headers.get('x-mock-assumed')).toBe('web.limit')
  expect(await pages(urls.slice(1))).toHaveLength(1000)
  expect(await pages(urls, unlimited)).toHaveLength(1001)
})
