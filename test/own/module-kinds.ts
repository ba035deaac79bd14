import { createRequire } from 'node:module'

const library = JSON.stringify(createRequire(import.meta.url).resolve('express'))

/** The files of a folder for --with, as modules of each kind. */
export const moduleKinds = {
  es: {
    'rules.js': "import { word } from './word.mjs'\nexport const getPets = () => [{ name: word }]",
    'routes.js': `import { Router } from ${library}\nexport default Router().get('/own', (_, response) => response.send('own'))`
  },
  commonjs: {
    'rules.js': "const { word } = require('./word.cjs')\nexports.getPets = () => [{ name: word }]",
    'routes.js': `module.exports = require(${library}).Router().get('/own', (_, response) => response.send('own'))`
  }
}

/** What they import. */
export const words = { 'word.mjs': "export const word = 'Tom'", 'word.cjs': "exports.word = 'Tom'" }

/** Each kind under each type of package.json. */
export const moduleCases = (['es', 'commonjs'] as const).flatMap((kind) =>
  (['module', 'commonjs', undefined] as const).map((type) => [kind, type] as const)
)
