import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const require = createRequire(import.meta.url)
const own = (name) => join(here, 'servers', `${name}.mjs`)
const peer = (path) => join(here, 'node_modules', path)

/**
 * A server as the bench starts it, `node ...command(...)`.
 * @typedef {object} Server
 * @property {string} id
 * @property {string} title
 * @property {string[]} packages what has to be installed for it
 * @property {string} state whether a write is seen by later reads
 * @property {string} checks what it checks: requests / responses
 * @property {Record<string, string | null>} [routes] paths that differ by workload; null: not served
 * @property {(given: {port: number, folder: string}) => string[]} command `folder` holds openapi.json and answers.json
 */

// These check nothing and take the invalid body by another path, or are stubs that have no such answer.
const unchecked = { invalid: '/invalid' }

/** @type {Server[]} */
export const servers = [
  {
    id: 'mock',
    title: 'this mock',
    packages: ['.'],
    state: 'yes',
    checks: 'yes / yes',
    command: ({ port }) => [join(root, 'dist/main.js'), '--port', `${port}`, '--log', 'silent']
  },
  {
    id: 'bare',
    title: 'bare `node:http`',
    packages: [],
    state: 'yes',
    checks: '– / –',
    routes: unchecked,
    command: ({ port, folder }) => [own('bare'), `${port}`, folder]
  },
  {
    id: 'express',
    title: 'bare Express 5',
    packages: ['express', 'multer'],
    state: 'yes',
    checks: '– / –',
    routes: unchecked,
    command: ({ port, folder }) => [own('express'), `${port}`, folder]
  },
  {
    id: 'express-ajv',
    title: 'Express 5 + ajv',
    packages: ['express', 'multer', 'ajv', 'ajv-formats'],
    state: 'yes',
    checks: 'yes / yes',
    command: ({ port, folder }) => [own('express-ajv'), `${port}`, folder]
  },
  {
    id: 'json-server',
    title: 'json-server 1 beta',
    packages: ['json-server'],
    state: 'yes',
    checks: '– / –',
    routes: {
      'get-persona': '/personas/1',
      'get-projects': '/projects',
      'post-session': '/sessions',
      'patch-persona': '/personas/1',
      invalid: null,
      search: null,
      upload: null
    },
    command: ({ port, folder }) => {
      const { answers } = require(join(folder, 'answers.json'))
      const data = { personas: [answers['get-persona']], projects: answers['get-projects'], sessions: [] }
      const file = join(folder, `json-server-${port}.json`)
      writeFileSync(file, JSON.stringify(data))
      return [peer('json-server/lib/bin.js'), '--port', `${port}`, file]
    }
  },
  {
    id: 'prism',
    title: 'Prism (silent)',
    packages: ['@stoplight/prism-cli'],
    state: 'no',
    checks: 'yes / –',
    // It takes a file of a form for a text and refuses the list of one.
    routes: { upload: null },
    command: ({ port, folder }) => [
      peer('@stoplight/prism-cli/dist/index.js'),
      'mock',
      ...['--port', `${port}`, '--verboseLevel', 'silent', join(folder, 'openapi.json')]
    ]
  },
  {
    id: 'mockoon',
    title: 'Mockoon',
    packages: ['@mockoon/cli'],
    state: 'no',
    checks: '– / –',
    routes: { invalid: null },
    command: ({ port, folder }) => [
      peer('@mockoon/cli/bin/run.js'),
      ...['start', '--data', join(folder, 'openapi.json'), '--port', `${port}`, '--hostname', '127.0.0.1'],
      '--disable-log-to-file'
    ]
  },
  {
    id: 'openapi-validator',
    title: 'express-openapi-validator',
    packages: ['express', 'express-openapi-validator'],
    state: 'yes',
    checks: 'yes / yes',
    // It takes a list of one file for a single value and refuses it.
    routes: { upload: null },
    command: ({ port, folder }) => [own('openapi-validator'), `${port}`, folder]
  }
]
