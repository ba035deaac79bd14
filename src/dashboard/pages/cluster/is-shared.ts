import { signal } from '@preact/signals'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { type Page, pages } from '../route.js'

const isShared = signal(false)

/** Finds out whether several processes share the state. */
export function useCluster(): void {
  useLoad(async () => {
    const { engine, nodes } = await call('getCluster')
    isShared.value = engine !== null || nodes.length > 1
  }, 'is shared')
}

/** The available pages: the cluster has one only if there are several processes. */
export function pagesHere(): readonly Page[] {
  return isShared.value ? pages : pages.filter((name) => name !== 'cluster')
}
