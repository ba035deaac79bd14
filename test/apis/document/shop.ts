import { join } from 'node:path'

/** The document of a shop, written for these tests. */
export const shop = join(import.meta.dirname, 'shop.yaml')
