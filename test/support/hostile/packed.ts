import { crc32, deflateRawSync, constants } from 'node:zlib'

/** Content as a few parts, each of which stands there so many times: gigabytes are made in no time and in no memory. */
export type Parts = readonly (readonly [part: Buffer | string, times: number])[]

type Packed = { readonly bytes: Buffer; readonly sum: number; readonly size: number }

const EMPTY_LAST_BLOCK = Buffer.from([3, 0])
/** A block that unpacks to nothing. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff])

/** How many times its size a file may unpack to, so that it is not refused for that alone, and from which size on. */
const PLAUSIBLE = 190
const LARGE = 64 * 1024 ** 2
/** How large a file may be made for that. */
const MOST_BYTES = 4_900_000

const paddingOf = (size: number, packed: number): Buffer => {
  const wanted = Math.ceil(size / PLAUSIBLE)
  return Buffer.alloc(size > LARGE && wanted < MOST_BYTES ? Math.max(0, wanted - packed) : 0, EMPTY_BLOCK)
}

/**
 * Deflates parts: each is packed by itself once, and the packed part is repeated. Of blocks that unpack to nothing there
 * are as many as it takes to look plausible, if that many fit.
 */
const deflateParts = (parts: Parts): Packed => {
  const blocks: Buffer[] = []
  let [sum, size] = [0, 0]
  for (const [part, times] of parts) {
    const plain = Buffer.from(part)
    const packed = deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH })
    for (let at = 0; at < times; at += 1) {
      blocks.push(packed)
      sum = crc32(plain, sum)
    }
    size += plain.length * times
  }
  const packed = blocks.reduce((length, block) => length + block.length, 0)
  const padding = paddingOf(size, packed)
  const whole = padding.subarray(0, padding.length - (padding.length % EMPTY_BLOCK.length))
  return { bytes: Buffer.concat([whole, ...blocks, EMPTY_LAST_BLOCK]), sum, size }
}

/** A gzip of parts. */
export const gzipParts = (parts: Parts): Buffer => {
  const { bytes, sum, size } = deflateParts(parts)
  const end = Buffer.alloc(8)
  end.writeUInt32LE(sum, 0)
  end.writeUInt32LE(size % 2 ** 32, 4)
  return Buffer.concat([Buffer.from('1f8b08000000000000ff', 'hex'), bytes, end])
}

/** What of a member of an archive is not as it should be. */
type MemberFlaws = {
  readonly size?: number
  readonly packedSize?: number
  readonly extra?: Buffer
  /** Stands in the directory for the place of the member. */
  readonly place?: number
  /** Says that the member is packed by another method, or not at all. */
  readonly method?: number
}
export type Member = { readonly path: string; readonly parts: Parts; readonly flaws?: MemberFlaws }

/** What of an archive's end is not as it should be. */
type EndFlaws = { readonly count?: number; readonly directoryAt?: number; readonly comment?: Buffer }

/** A zip archive of members that stand for far more than it holds, or say what is not so. */
export const zipMembers = (members: readonly Member[], flaws: EndFlaws = {}): Buffer => {
  const [locals, heads]: [Buffer[], Buffer[]] = [[], []]
  let place = 0
  for (const {
    path,
    parts,
    flaws: { size, packedSize, extra = Buffer.alloc(0), place: said, method = 8 } = {},
  } of members) {
    const name = Buffer.from(path)
    const packed = deflateParts(parts)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x800, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt16LE(0x21, 8)
    common.writeUInt32LE(packed.sum, 10)
    common.writeUInt32LE(packedSize ?? packed.bytes.length, 14)
    common.writeUInt32LE(Math.min(size ?? packed.size, 0xffffffff), 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed.bytes])
    const head = Buffer.from(common)
    head.writeUInt16LE(extra.length, 24)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(said ?? place, 10)
    heads.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), head, rest, name, extra]))
    locals.push(local)
    place += local.length
  }
  const directory = Buffer.concat(heads)
  const { count = heads.length, directoryAt = place, comment = Buffer.alloc(0) } = flaws
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Math.min(count, 0xffff), 4)
  end.writeUInt16LE(Math.min(count, 0xffff), 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(directoryAt, 12)
  end.writeUInt16LE(comment.length, 16)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end, comment])
}
