import { serveCommand } from '../../../src/doors/cli/serve.js'
import { staticCommand } from '../../../src/doors/cli/static.js'
import { invoke } from '../../invoke.js'
import { folderWith } from './config-folder.js'

const json = 'knowledge-chat-mock.config.json'

test.each([
  ['an unknown name', { [json]: '{"prot": 1}' }, 'there is no option prot. Did you mean port?'],
  ['a wrong value', { [json]: '{"port": "many"}' }, 'port is "many": give a whole number from 0 to 65535'],
  ['a text that is not JSON', { [json]: '{' }, `${json}:1:2: Expecting`],
  ['a list', { [json]: '[]' }, 'give an object of options'],
  ['two files', { [json]: '{}', 'knowledge-chat-mock.config.mjs': '' }, 'there are several config files']
])('%s ends with 2 and a reason', async (_, files, sentence) => {
  const { code, stderr } = await invoke(serveCommand(), [], { folder: folderWith(files) })
  expect(code).toBe(2)
  expect(stderr).toContain(sentence)
})

test('a site is not written over other files, and the message names the working directory', async () => {
  const { code, stderr } = await invoke(staticCommand(), ['.'], { folder: folderWith({ 'a.txt': '' }) })
  expect([code, stderr]).toEqual([2, expect.stringContaining('error: . is not empty')])
})
