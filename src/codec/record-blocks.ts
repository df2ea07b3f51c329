import type { AnyRecord } from '../domain/schema.ts'

type Chunks = AsyncIterable<readonly AnyRecord[]> | Iterable<readonly AnyRecord[]>

/** Sets how many records are made into text at once: the text of a long part would take far more memory than the part. */
const BLOCK_RECORDS = 1000

/** Yields records in parts that are short enough to be made into text. */
export async function* inBlocks(chunks: Chunks): AsyncGenerator<readonly AnyRecord[]> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += BLOCK_RECORDS) yield chunk.slice(at, at + BLOCK_RECORDS)
  }
}
