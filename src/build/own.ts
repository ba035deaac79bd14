// What only endpoints of the user's own need in a browser: the build makes one file of it.
export * as faker from '@faker-js/faker/locale/en'
export * as sampler from 'json-schema-faker'
export * as linear from '../contract/schemas/linear.js'
