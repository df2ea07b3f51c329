import { addAbortSignal, type Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Aborted } from '../client/transport.ts'
import { createScratch, type Scratch } from './external-sort/scratch.ts'
import { bytesOf, CHUNK_BYTES, type RereadableFile } from './parse/files.ts'
import type { FileBytes } from './parse/inspect.ts'

/**
 * Holds the permissions of such a source: its owner's only, because nobody knows who else may read the content of a
 * pipe.
 */
const PRIVATE = 0o600

async function* bytesOfScratch(scratch: Scratch): FileBytes {
  for (let place = 0; place < scratch.size();) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, scratch.size() - place))
    place += scratch.read(chunk, place)
    yield chunk
    // Let signals and timers run.
    await setImmediate()
  }
}

/**
 * Copies a stream, such as standard input, to a spill file in a folder, and returns it as a source that can be read
 * again. Nothing is left behind, however the process ends.
 */
export const spoolSource = async (
  input: Readable,
  folder: string,
  name: string,
  signal?: AbortSignal,
): Promise<RereadableFile> => {
  const scratch = createScratch(folder)
  try {
    if (signal) addAbortSignal(signal, input)
    for await (const chunk of bytesOf(input, name)) scratch.append(chunk)
  } catch (error) {
    scratch.close()
    if (signal?.aborted) throw new Aborted('stopped before anything was sent; run the same command again')
    throw error
  }
  return { name, open: () => bytesOfScratch(scratch), stamp: () => '', mode: PRIVATE, close: scratch.close }
}
