import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { defineApi } from 'knowledge-chat-mock'

/** The document comes with its package, which is not copied here. */
const document = createRequire(import.meta.url).resolve('@blockfrost/openapi/openapi.yaml')

const text = { type: 'string' }
const number = { type: 'integer' }
const row = (properties) => ({ type: 'object', required: Object.keys(properties), properties })

const hashOf = (value) => createHash('sha256').update(value).digest('hex')
const byHeight = (rows) => rows.blocks.all().sort((a, b) => a.height - b.height)
const missing = ({ refuse }) => refuse(404, 'The requested component has not been found.')

/** The block with a hash or a height. */
const blockAt = (context, name) =>
  context.rows.blocks.all().find((it) => it.hash === name || String(it.height) === name) ?? missing(context)

/** A block as replies show it: its neighbours follow from the chain. */
function shown(block, { rows }) {
  const chain = byHeight(rows)
  const at = chain.findIndex((it) => it.height === block.height)
  const { id: _, ...fields } = block
  return {
    ...fields,
    tx_count: rows.transactions.all().filter((it) => it.block === block.hash).length,
    previous_block: chain[at - 1]?.hash ?? null,
    next_block: chain[at + 1]?.hash ?? null,
    confirmations: chain.length - 1 - at
  }
}

/** One page of a list: `count`, `page` and `order` of the document. */
function paged(items, { count = 100, page = 1, order = 'asc' }) {
  const sorted = order === 'desc' ? [...items].reverse() : items
  return sorted.slice((page - 1) * count, page * count)
}

const hashesIn = (block, { rows }) =>
  rows.transactions
    .all()
    .filter((it) => it.block === block.hash)
    .map(({ hash }) => hash)

/** Twenty seconds after a transaction arrives, the next block contains it and all other pending ones. */
function settle({ rows, now }) {
  const time = Math.floor(Date.parse(now) / 1000)
  const waiting = rows.waiting.all()
  if (!waiting.some(({ since }) => since + 20 <= time)) return
  const { height } = byHeight(rows).at(-1)
  const { hash: block } = rows.blocks.put({ ...blockRow(height + 1), time })
  for (const { id, hash, size } of waiting) {
    rows.transactions.put({ hash, size, block })
    rows.waiting.remove(id)
  }
}

/** The rules of a chain that follows the clock. */
const ofChain = (rules) =>
  Object.fromEntries(
    Object.entries(rules).map(([id, rule]) => [
      id,
      (input, context) => {
        settle(context)
        return rule(input, context)
      }
    ])
  )

const blockRow = (height) => ({
  height,
  hash: hashOf(`block ${height}`),
  time: 1_700_000_000 + 20 * height,
  slot: 20 * height,
  epoch: Math.floor((20 * height) / 432_000),
  epoch_slot: (20 * height) % 432_000,
  slot_leader: 'pool1pu5jlj4q9w9jlxeu370a3c9myx47md5j5m2str0naunn2q3lkdy',
  size: 4096,
  tx_count: 0,
  output: null,
  fees: null,
  block_vrf: null,
  op_cert: null,
  op_cert_counter: null,
  previous_block: null,
  next_block: null,
  confirmations: 0
})

const pinOf = (rows, path) => rows.pins.all().find(({ ipfs_hash }) => ipfs_hash === path)
const pinShown = ({ id: _, ...fields }) => fields

export default defineApi({
  document,
  users: [
    { key: 'preprodAnn', name: 'Ann', role: 'admin' },
    { key: 'preprodBob', name: 'Bob' }
  ],
  collections: {
    blocks: { schema: '#/components/schemas/block_content', count: 0 },
    transactions: { schema: row({ hash: text, block: text, size: number }), count: 0 },
    waiting: { schema: row({ hash: text, size: number, since: number }), count: 0 },
    files: { schema: row({ name: text, ipfs_hash: text, size: text }), count: 0 },
    pins: {
      schema: row({
        ipfs_hash: text,
        state: text,
        size: text,
        filecoin: { type: 'boolean' },
        time_created: number,
        time_pinned: number
      }),
      count: 0
    }
  },
  fixtures: {
    blocks: Array.from({ length: 30 }, (_, at) => blockRow(at + 1)),
    transactions: Array.from({ length: 12 }, (_, at) => ({
      hash: hashOf(`transaction ${at}`),
      block: blockRow(30 - (at % 4)).hash,
      size: 300 + at
    }))
  },
  rules: ofChain({
    getApiV0Health: () => ({ is_healthy: true }),
    getApiV0HealthClock: (_, { now }) => ({ server_time: Date.parse(now) }),
    getApiV0BlocksLatest: (_, context) => shown(byHeight(context.rows).at(-1), context),
    getApiV0BlocksLatestTxs: ({ query }, context) => paged(hashesIn(byHeight(context.rows).at(-1), context), query),
    getApiV0BlocksByHashOrNumber: ({ path }, context) => shown(blockAt(context, path.hash_or_number), context),
    getApiV0BlocksByHashOrNumberNext({ path, query }, context) {
      const { height } = blockAt(context, path.hash_or_number)
      const after = byHeight(context.rows).filter((it) => it.height > height)
      return paged(after, query).map((it) => shown(it, context))
    },
    getApiV0BlocksByHashOrNumberPrevious({ path, query }, context) {
      const { height } = blockAt(context, path.hash_or_number)
      const { count = 100, page = 1 } = query
      const before = byHeight(context.rows).filter((it) => it.height < height)
      const end = Math.max(0, before.length - (page - 1) * count)
      return before.slice(Math.max(0, end - count), end).map((it) => shown(it, context))
    },
    getApiV0BlocksByHashOrNumberTxs: ({ path, query }, context) =>
      paged(hashesIn(blockAt(context, path.hash_or_number), context), query),
    getApiV0TxsByHash({ path }, context) {
      const { rows, otherwise } = context
      const found = rows.transactions.all().find(({ hash }) => hash === path.hash) ?? missing(context)
      const block = blockAt(context, found.block)
      const { body } = otherwise()
      const at = { block: block.hash, block_height: block.height, block_time: block.time, slot: block.slot }
      return { ...body, ...at, hash: found.hash, size: found.size, index: hashesIn(block, context).indexOf(found.hash) }
    },
    postApiV0TxSubmit({ body }, { rows, refuse, now }) {
      if (!body?.length) refuse(400, 'The transaction is empty.')
      const hash = hashOf(body)
      if (rows.transactions.all().some((it) => it.hash === hash)) refuse(400, 'BadInputsUTxO')
      rows.waiting.put({ hash, size: body.length, since: Math.floor(Date.parse(now) / 1000) })
      return hash
    },
    getApiV0Mempool: ({ query }, { rows }) => paged(rows.waiting.all(), query).map(({ hash }) => ({ tx_hash: hash })),
    ipfs_add({ body }, context) {
      const bytes = Buffer.from(body.file.bytes ?? '')
      const file = { name: body.file.name, ipfs_hash: `Qm${hashOf(bytes).slice(0, 44)}`, size: String(bytes.length) }
      context.rows.files.put(file)
      return file
    },
    postApiV0IpfsPinAddByIPFSPath({ path: { IPFS_path: name } }, context) {
      const { rows, now } = context
      const file = rows.files.all().find(({ ipfs_hash }) => ipfs_hash === name) ?? missing(context)
      const time = Math.floor(Date.parse(now) / 1000)
      const state = { state: 'pinned', size: file.size, filecoin: false, time_created: time, time_pinned: time }
      rows.pins.put({ ...pinOf(rows, name), ipfs_hash: name, ...state })
      return { ipfs_hash: name, state: 'queued', filecoin: false }
    },
    getApiV0IpfsPinList: ({ query }, { rows }) => paged(rows.pins.all(), query).map(pinShown),
    getApiV0IpfsPinListByIPFSPath: ({ path }, context) =>
      pinShown(pinOf(context.rows, path.IPFS_path) ?? missing(context)),
    postApiV0IpfsPinRemoveByIPFSPath({ path: { IPFS_path: name } }, context) {
      const pin = pinOf(context.rows, name) ?? missing(context)
      context.rows.pins.remove(pin.id)
      return { ipfs_hash: name, state: 'unpinned' }
    }
  })
})
