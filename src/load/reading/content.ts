import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { KpiError } from '../../domain/errors.ts'
import type { Content } from './inspect.ts'

const CHUNK_BYTES = 1 << 16

const damage = (name: string, error: unknown): unknown => {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) return error
  const why =
    error.code === 'Z_BUF_ERROR' ? 'ends in the middle, as if it were cut off' : `is damaged (${error.message})`
  return new KpiError('malformed', `cannot read ${name}: its gzip ${why}; make it anew`, { cause: error })
}

/** What a file holds, unpacked where it is packed. */
export async function* contentOf(bytes: Content, name: string, isPacked: boolean): Content {
  if (!isPacked) {
    yield* bytes
    return
  }
  // What goes wrong is told where the unpacked bytes are read.
  const unpacked = pipeline(bytes, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined)
  try {
    yield* unpacked as AsyncIterable<Buffer>
  } catch (error) {
    throw damage(name, error)
  }
}

/** The bytes of a file on their way, whether they are gzip, and once all have passed, their SHA-256 and how many they are. */
export type Passing = {
  readonly bytes: Content
  readonly isGzip: boolean
  readonly sum: () => { readonly sha256: string; readonly bytes: number }
}

/** Lets the bytes of a file pass. Its first two bytes, not its name, say whether it is gzip. */
export const passing = async (file: Content): Promise<Passing> => {
  const hash = createHash('sha256')
  let count = 0
  const first = await file.next()
  const bytes = async function* (): Content {
    for (let chunk = first; !chunk.done; chunk = await file.next()) {
      hash.update(chunk.value)
      count += chunk.value.length
      yield chunk.value
    }
  }
  const isGzip = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b
  return { bytes: bytes(), isGzip, sum: () => ({ sha256: hash.digest('hex'), bytes: count }) }
}
