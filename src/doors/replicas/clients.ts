import { lazily } from '../../contract/lazy.js'
import { ClusterClient, type ClusterOf } from '../../mock/replicas/engine/cluster-client.js'
import type { Client, EngineAddress } from '../../mock/replicas/engine/engine.js'
import { SentinelClient } from '../../mock/replicas/engine/sentinel.js'

const name = '@redis/client'

interface Package {
  createClient: (options: object) => Client
  createCluster: (options: object) => ClusterOf
}

/** What makes the client for an address. Throws an Error if the package is missing. */
export function clientFor(address: EngineAddress): (options: { socket: object; [name: string]: unknown }) => Client {
  const { createClient, createCluster } = loaded()
  const { nodes = [], sentinel, login } = address
  if (sentinel !== undefined)
    return (options) => new SentinelClient({ create: createClient, name: sentinel, sentinels: nodes, login, options })
  if (nodes.length === 0) return createClient
  return ({ socket, ...options }) => {
    const rootNodes = nodes.map((node) => ({ socket: node }))
    return new ClusterClient(createCluster({ ...options, rootNodes, defaults: { ...options, socket } }))
  }
}

function loaded(): Package {
  try {
    return lazily(name) as Package
  } catch {
    throw new Error(
      `data (--data) is a Redis: that needs the package ${name} beside knowledge-chat-mock: npm install ${name}`
    )
  }
}
