import type { ApiDefinition } from './apis/document/api.js'
import type { ConfigOptions } from './doors/options/table.js'

/** Types the default export of a config file. */
export function defineConfig(config: ConfigOptions): ConfigOptions {
  return config
}

/** Types the default export of the `api.ts` of a folder: what it adds to the document of an API. */
export function defineApi<const Definition extends ApiDefinition>(definition: Definition): Definition {
  return definition
}
