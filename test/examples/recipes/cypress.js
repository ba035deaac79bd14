// cypress/support/mock.js: in each test, `cy.intercept('/api/**', answerBy(mock))`, with a mock of
// `knowledge-chat-mock/browser`. The page follows redirects itself, and a fault breaks the connection.
export function answerBy(mock, sandbox) {
  return async (req) => {
    const { method, url, body } = req
    const hasBody = body !== '' && body !== undefined && !['GET', 'HEAD'].includes(method)
    const sent = typeof body === 'string' || body instanceof ArrayBuffer ? body : JSON.stringify(body)
    const headers = { ...req.headers, ...(sandbox && { 'X-Mock-Sandbox': sandbox }) }
    try {
      const response = await mock.fetch(url, { method, headers, ...(hasBody && { body: sent }) })
      const answer = await response.arrayBuffer()
      req.reply({ statusCode: response.status, headers: Object.fromEntries(response.headers), body: answer })
    } catch {
      req.reply({ forceNetworkError: true })
    }
  }
}
