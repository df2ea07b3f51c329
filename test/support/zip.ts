import { crc32, deflateRawSync } from 'node:zlib'

/** What of an archive is not as it should be. */
export type ZipFlaws = {
  /** Says that the entries are encrypted. */
  readonly isEncrypted?: boolean
  /** The method by which they claim to be packed. */
  readonly method?: number
  /** The sum that they claim to have. */
  readonly sum?: number
}

/** A zip archive of files, packed as most programs pack them. */
export const zipOf = (files: Readonly<Record<string, string | Buffer>>, flaws: ZipFlaws = {}): Buffer => {
  const [locals, heads]: [Buffer[], Buffer[]] = [[], []]
  let place = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)]
    const packed = deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x800 | Number(flaws.isEncrypted ?? false), 2)
    common.writeUInt16LE(flaws.method ?? 8, 4)
    common.writeUInt16LE(0x21, 8)
    common.writeUInt32LE(flaws.sum ?? crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(place, 10)
    heads.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), common, rest, name]))
    locals.push(local)
    place += local.length
  }
  const directory = Buffer.concat(heads)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(heads.length, 4)
  end.writeUInt16LE(heads.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(place, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}
