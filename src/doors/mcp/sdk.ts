import type * as server from '@modelcontextprotocol/sdk/server/index.js'
import type * as stdio from '@modelcontextprotocol/sdk/server/stdio.js'
import type * as http from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type * as types from '@modelcontextprotocol/sdk/types.js'
import { lazily } from '../../engine/contract/lazy.js'
import { Refusal } from '../../engine/contract/message/refusal.js'

/** The protocol's SDK. Users install it themselves. */
export type Sdk = typeof server & typeof stdio & typeof http & typeof types

const name = '@modelcontextprotocol/sdk'
const parts = ['server/index.js', 'server/stdio.js', 'server/webStandardStreamableHttp.js', 'types.js']

/** Loads the SDK when the first agent connects. Throws a Refusal that says how to install it. */
export function loadSdk(load: (module: string) => unknown = lazily): Sdk {
  try {
    return Object.assign({}, ...parts.map((part) => load(`${name}/${part}`))) as Sdk
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error
    const detail = `Agents need the package ${name} in addition to knowledge-chat-mock: npm install --save-dev ${name}`
    throw new Refusal('node-needed', { detail })
  }
}
