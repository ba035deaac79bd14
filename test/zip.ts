import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  path: string
  data?: string | Uint8Array
  /** Stored instead of deflated. */
  stored?: boolean
  /** General purpose flags; bit 0 says that the entry is encrypted. */
  flags?: number
  /** Wrong values that the zip declares for the entry. */
  declares?: { size?: number; checksum?: number; method?: number }
}

/** A zip with these entries; `count` is the number of entries that it declares. */
export function zipOf(entries: ZipEntry[], count: number = entries.length): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, data = '', stored = false, flags = 0x800, declares = {} } of entries) {
    const bytes = Buffer.from(data as string)
    const packed = stored ? bytes : deflateRawSync(bytes)
    const name = Buffer.from(path)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(declares.method ?? (stored ? 0 : 8), 4)
    common.writeUInt32LE(declares.checksum ?? crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(declares.size ?? bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, name)
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, central, end])
}
