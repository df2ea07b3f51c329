import { createHash } from 'node:crypto'
import type { RereadableFile } from '../source/files.ts'
import type { FileBytes } from '../source/inspect.ts'

/** Holds the SHA-256 of some bytes, in hexadecimal, and their count. */
export type ByteSum = { readonly sha256: string; readonly bytes: number }

/** Passes on bytes, and sums them up; the sum is known once all were read. */
export const summing = (content: FileBytes): { readonly bytes: FileBytes; readonly sum: () => ByteSum } => {
  const hash = createHash('sha256')
  let count = 0
  const bytes = async function* (): FileBytes {
    for await (const chunk of content) {
      hash.update(chunk)
      count += chunk.length
      yield chunk
    }
  }
  return { bytes: bytes(), sum: () => ({ sha256: hash.digest('hex'), bytes: count }) }
}

/** Returns the sum of the bytes of a file. */
export const sumOf = async (file: RereadableFile): Promise<ByteSum> => {
  const { bytes, sum } = summing(file.open())
  for await (const chunk of bytes) void chunk
  return sum()
}
