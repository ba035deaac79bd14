// What only the user's own endpoints need in a browser. The build bundles it into one file.
export * as faker from '@faker-js/faker/locale/en'
export * as sampler from 'json-schema-faker'
export * as linear from '../engine/contract/schemas/linear.js'
