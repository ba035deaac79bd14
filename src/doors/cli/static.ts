import { Command } from 'commander'
import { addOptions } from '../options/command-line.js'
import { flag, text } from '../options/kinds.js'
import { accessTable, choiceTable, startTable, stateTable } from '../options/mock-table.js'
import type { Settled, Table } from '../options/option.js'
import { writeSite } from '../site/write.js'

const path = text('path', {
  wanted: 'a path with a slash at both ends, such as /demo/',
  read: (value) => (typeof value === 'string' && /^\/([\w.~-]+\/)*$/.test(value) ? value : undefined)
})

export const staticTable = {
  app: { is: text('folder'), otherwise: 'none', help: 'a built application, such as dist, for the root of the site' },
  base: { is: path, default: '/', help: 'the path of the site on its host, such as /demo/' },
  worker: {
    is: flag,
    default: false,
    help: 'only `mock-worker.js` and `mock/`, for the public folder of your own host'
  },
  ...startTable,
  scale: stateTable.scale,
  overrides: stateTable.overrides,
  ...choiceTable,
  strict: stateTable.strict,
  auth: accessTable.auth,
  tokenCookie: accessTable.tokenCookie,
  anonymous: accessTable.anonymous
} as const satisfies Table

/** `static <folder>`: writes a site with a mock in the visitor's browser. */
export function staticCommand(): Command {
  return addOptions(new Command('static'), staticTable)
    .description('write a folder for any static host: dashboard, explorer, your application, on a mock in the browser')
    .argument('<folder>', 'where to write it')
    .action(async (folder: string, { app, base, worker, ...mock }: Settled<typeof staticTable>) => {
      const count = await writeSite(folder, { app, base, worker, mock: mock as never })
      process.stdout.write(`${folder}: ${count} files\n`)
    })
}
