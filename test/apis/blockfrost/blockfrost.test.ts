import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlockFrostAPI, BlockFrostIPFS } from '@blockfrost/blockfrost-js'
import { verify } from '../../../src/doors/program/handle/verify.js'
import { startTestMock, type TestMock } from '../../mock.js'

/** The API of a block chain, with the document and the client of its makers. */
const api = import.meta.dirname
let mock: TestMock
let chain: BlockFrostAPI
let files: BlockFrostIPFS
beforeAll(async () => {
  mock = await startTestMock({ api })
  const options = { projectId: 'preprodAnn', customBackend: `${mock.url}/api/v0`, rateLimiter: false } as const
  chain = new BlockFrostAPI({ ...options, network: 'preprod' })
  files = new BlockFrostIPFS({ ...options, projectId: 'preprodAnn' })
})
beforeEach(() => mock.reset())

test('the client finds blocks by hash and by height, and their neighbours', async () => {
  const latest = await chain.blocksLatest()
  expect([latest.height, latest.next_block, latest.confirmations]).toEqual([30, null, 0])
  const before = await chain.blocks(latest.previous_block as string)
  expect(before).toEqual(await chain.blocks(29))
  expect(before.next_block).toBe(latest.hash)
  const heights = async (blocks: Promise<{ height: number | null }[]>) => (await blocks).map(({ height }) => height)
  expect(await heights(chain.blocksNext(27))).toEqual([28, 29, 30])
  expect(await heights(chain.blocksPrevious(4, { count: 2, page: 1 }))).toEqual([2, 3])
})

test('the client reads lists page by page, and all pages at once', async () => {
  const all = await chain.blocksTxsAll(30)
  expect([all.length, (await chain.blocks(30)).tx_count]).toEqual([3, 3])
  expect(await chain.blocksTxs(30, { count: 2, page: 2 })).toEqual(all.slice(2))
  expect(await chain.blocksTxs(30, { order: 'desc' })).toEqual([...all].reverse())
  const transaction = await chain.txs(all[1] as string)
  expect(transaction).toMatchObject({ hash: all[1], block_height: 30, index: 1 })
})

test('a submitted transaction is pending, and in a block twenty seconds later', async () => {
  const hash = await chain.txSubmit('84a400')
  expect(await chain.mempool()).toEqual([{ tx_hash: hash }])
  await expect(chain.txs(hash)).rejects.toMatchObject({ status_code: 404 })
  mock.handle('default').clock.advance('20s')
  expect((await chain.txs(hash)).block_height).toBe(31)
  expect(await chain.mempool()).toEqual([])
  expect((await chain.blocksLatest()).height).toBe(31)
  await expect(chain.txSubmit('84a400')).rejects.toMatchObject({ status_code: 400, error: 'BadInputsUTxO' })
})

test('errors have the form that the client expects', async () => {
  await expect(chain.blocks('none')).rejects.toMatchObject({
    name: 'BlockfrostServerError',
    status_code: 404,
    error: 'The requested component has not been found.'
  })
  const stranger = new BlockFrostAPI({
    projectId: 'preprodEve',
    customBackend: `${mock.url}/api/v0`,
    network: 'preprod'
  })
  await expect(stranger.blocksLatest()).rejects.toMatchObject({ status_code: 403 })
})

test('a file is added, pinned, listed and unpinned', async () => {
  const path = join(tmpdir(), `blockfrost-${process.pid}.txt`)
  writeFileSync(path, 'Hello')
  const { ipfs_hash, size } = await files.add(path)
  expect(size).toBe('5')
  expect(await files.pin(ipfs_hash)).toMatchObject({ ipfs_hash, state: 'queued' })
  expect(await files.list()).toMatchObject([{ ipfs_hash, state: 'pinned', size: '5' }])
  expect(await files.listByPath(ipfs_hash)).toMatchObject({ ipfs_hash })
  await files.pinRemove(ipfs_hash)
  expect(await files.list()).toEqual([])
})

test('every reply is valid, and verify has no finding', async () => {
  expect((await mock.call('GET', '/__mock/requests?violations=true', { as: 'preprodAnn' })).body.total).toBe(0)
  expect(await verify({ url: mock.url, api, mutating: true })).toMatchObject({ findings: [], exitCode: 0 })
})
