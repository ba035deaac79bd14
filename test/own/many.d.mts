interface Get {
  responses: { 200: { content: { 'application/json': { schema: object } } } }
}

export function manyPaths(resources?: number): { paths: Record<string, { get: Get }>; components: object }
