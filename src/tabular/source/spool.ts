import { addAbortSignal, type Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Aborted } from '../../client/transport.ts'
import { createSpillFile, type SpillFile } from '../../files/spill-file.ts'
import { bytesOf, CHUNK_BYTES, type RereadableFile } from './files.ts'
import type { FileBytes } from './inspect.ts'

/**
 * Holds the permissions of such a source: its owner's only, because nobody knows who else may read the content of a
 * pipe.
 */
const PRIVATE = 0o600

async function* bytesOfSpillFile(spillFile: SpillFile): FileBytes {
  for (let place = 0; place < spillFile.size();) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, spillFile.size() - place))
    place += spillFile.read(chunk, place)
    yield chunk
    // Let signals and timers run.
    await setImmediate()
  }
}

/** Returns a source for a spill file, which is closed with it. */
export const spillFileSource = (spillFile: SpillFile, name: string): RereadableFile => ({
  name,
  open: () => bytesOfSpillFile(spillFile),
  random: () => ({ size: spillFile.size, read: spillFile.read, close: () => undefined }),
  stamp: () => '',
  mode: PRIVATE,
  close: spillFile.close,
})

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
  const spillFile = createSpillFile(folder)
  try {
    if (signal) addAbortSignal(signal, input)
    for await (const chunk of bytesOf(input, name)) spillFile.append(chunk)
  } catch (error) {
    spillFile.close()
    if (signal?.aborted) throw new Aborted('stopped before anything was sent; run the same command again')
    throw error
  }
  return spillFileSource(spillFile, name)
}
