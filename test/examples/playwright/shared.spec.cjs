const { startMock } = require('knowledge-chat-mock')
const { expect, test } = require('@playwright/test')

// Leads to the state that was found.
const scenario = {
  start: {
    fixtures: "demo",
    seed: 1,
    scale: 1,
    now: "2026-03-02T10:00:00.000Z",
    profile: "documented",
    assume: {}
  },
  steps: []
}

let mock
test.beforeAll(async () => {
  mock = await startMock({ port: 0 })
})
test.afterAll(() => mock?.close())

test("GET /api/get-user-role as basic is answered with 200", async () => {
  await mock.sandbox('default').play(scenario)
  const response = await fetch(mock.url + "/api/get-user-role", {
    method: "GET",
    headers: {
      accept: "*/*",
      authorization: "Bearer basic"
    }
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    role: "basic"
  })
})
