import { startMock } from 'knowledge-chat-mock'

/** One mock for all workers. They are other processes: they get its address, and control it over HTTP. */
export default async function setup(project) {
  const mock = await startMock({ port: 0, fixtures: 'empty', now: '2026-03-02T10:00:00Z' })
  project.provide('mockUrl', mock.url)
  return () => mock.close()
}
