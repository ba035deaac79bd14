const boundary = 'bench-boundary-7d3f9c'

/**
 * A multipart/form-data body with the same bytes every time.
 * @param {Record<string, string | {name: string, type: string, bytes: Buffer} | object[]>} fields
 */
export function form(fields) {
  const parts = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((item) => part(name, item)))
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
  }
}

function part(name, value) {
  const file = typeof value === 'object' ? `; filename="${value.name}"\r\nContent-Type: ${value.type}` : ''
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(value.bytes ?? value), Buffer.from('\r\n')])
}
