import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createMock } from '../../src/doors/program/mock.js'
import { inExplorer, openPage } from './browser.js'

const mock = createMock({ fixtures: 'empty' })
const server = createServer(express().use('/mock', mock.app))
let url: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mock`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const role = () => fetch(`${url}/api/get-user-role`, { headers: { Authorization: 'Bearer admin' } })

test('the dashboard follows and replays if another app mounts the mock', async () => {
  const page = await openPage(`${url}/`)
  expect(page.url()).toBe(`${url}/__mock/`)
  await page.getByText('0 exchanges').waitFor()
  await role()
  await page.getByRole('link', { name: 'GET /api/get-user-role' }).click()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('Sent again: 200.').waitFor()
  expect(mock.sandboxes.use('default').journal.size).toBe(2)
})

test('the explorer calls the mock if another app mounts it', async () => {
  const page = await openPage(`${url}/docs`)
  await inExplorer(page, 'getUserRole')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Answer to admin' }).getByText('"admin"').waitFor()
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.waitForURL(`${url}/__mock/#/default/requests`)
})
