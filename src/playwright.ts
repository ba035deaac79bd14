// Answers for a page in Playwright, without a port: `knowledge-chat-mock/playwright`.

/** A mock, or anything else that answers requests. */
export interface Answering {
  fetch(input: string, init: RequestInit): Promise<Response>
}

/** The parts of Playwright's pages and browser contexts that we use. */
export interface Routed {
  route(url: (url: URL) => boolean, handler: (route: Route) => Promise<void>): Promise<unknown>
}

export interface Route {
  request(): {
    url(): string
    method(): string
    allHeaders(): Promise<Record<string, string>>
    postDataBuffer(): Buffer | null
    isNavigationRequest(): boolean
  }
  fulfill(answer: { status: number; headers: Record<string, string>; body: Buffer }): Promise<void>
  abort(reason: string): Promise<void>
}

export interface ServeOptions {
  /** The address that the page calls, such as `http://localhost:4010`. Requests to its origin are answered by the mock. */
  url: string
  /** The sandbox that answers. Default: the one that a token names. */
  sandbox?: string
}

/** The mock answers the requests of the page, or of all pages of a context, to an origin. Event streams need a port. */
export async function serve(page: Routed, mock: Answering, { url, sandbox }: ServeOptions): Promise<void> {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  if (origin === 'null') throw new Error(`url is "${url}": give an address, such as http://localhost:4010.`)
  await page.route((asked) => asked.origin === origin, answer)

  async function answer(route: Route): Promise<void> {
    const request = route.request()
    const headers = { ...(await request.allHeaders()), ...(sandbox !== undefined && { 'x-mock-sandbox': sandbox }) }
    const sent = request.postDataBuffer() as string | null
    let response: Response
    try {
      response = await mock.fetch(request.url(), { method: request.method(), headers, body: sent })
    } catch {
      return route.abort('connectionreset')
    }
    const fields = Object.fromEntries(response.headers)
    // Playwright takes several cookies as lines.
    if ('set-cookie' in fields) fields['set-cookie'] = response.headers.getSetCookie().join('\n')
    const body = Buffer.from(await response.arrayBuffer())
    const { location } = fields
    if (!location || !request.isNavigationRequest())
      return route.fulfill({ status: response.status, headers: fields, body })
    // The target of a redirect is not routed, so a page navigates there.
    const to = new URL(location, request.url()).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    const page = `<meta http-equiv="refresh" content="0;url=${to}">`
    await route.fulfill({ status: 200, headers: { ...fields, 'content-type': 'text/html' }, body: Buffer.from(page) })
  }
}

/** For Playwright's `test.extend`: each test has a sandbox, `mock`, which answers its page and is dropped at its end. */
export function fixtures<Box extends { name: string; drop(): void }>(
  mock: Answering & { sandbox(name: string): Box },
  { url }: Pick<ServeOptions, 'url'>
) {
  // Playwright reads the needed fixtures from the function's source.
  const sandboxed = async (
    { page }: { page: Routed },
    use: (box: Box) => Promise<void>,
    { testId }: { testId: string }
  ): Promise<void> => {
    const box = mock.sandbox(testId)
    await serve(page, mock, { url, sandbox: box.name })
    await use(box)
    box.drop()
  }
  return { mock: [sandboxed, { auto: true }] as [typeof sandboxed, { auto: true }] }
}
