import { createSpillFile } from '../../files/spill-file.ts'
import type { Io } from '../io.ts'
import type { Output } from '../standard-output.ts'

/** Bounds the text kept in memory; the rest goes to an unnamed temporary file. */
const MOST_IN_MEMORY = 8 * 1024 * 1024
/** Sets how much text is written at once to a file that was begun. */
const MOST_TO_WRITE = 256 * 1024
const CHUNK_BYTES = 64 * 1024

/** Holds text back until it is released, in order. */
type HeldBack = {
  readonly add: (text: string) => void
  readonly all: () => Generator<string>
  readonly close: () => void
}

/** Creates what holds text back, in memory or beyond that in a file of this folder. */
export const holdBack = (folder: string): HeldBack => {
  let spillFile: ReturnType<typeof createSpillFile> | undefined
  let text = ''
  const moveOut = (): void => {
    spillFile ??= createSpillFile(folder)
    spillFile.append(Buffer.from(text))
    text = ''
  }
  return {
    add: (more) => {
      text += more
      if (text.length > (spillFile ? MOST_TO_WRITE : MOST_IN_MEMORY)) moveOut()
    },
    all: function* () {
      const decoder = new TextDecoder()
      const chunk = Buffer.alloc(CHUNK_BYTES)
      for (let place = 0; spillFile && place < spillFile.size();) {
        const length = spillFile.read(chunk, place)
        place += length
        yield decoder.decode(chunk.subarray(0, length), { stream: true })
      }
      yield text
    },
    close: () => spillFile?.close(),
  }
}

/** Prints to standard output only when the whole text is there: work that fails prints nothing. */
export const printWhenComplete = async (
  { stdout, tempDir }: Pick<Io, 'stdout' | 'tempDir'>,
  print: (held: { readonly stdout: Output }) => Promise<void>,
): Promise<void> => {
  const held = holdBack(tempDir)
  try {
    await print({ stdout: { ...stdout, write: async (text) => held.add(text) } })
    for (const text of held.all()) await stdout.write(text)
  } finally {
    held.close()
  }
}

/**
 * Prints to standard output behind what `tell` says of it, which is known only at the end. What was printed before a
 * failure stays readable.
 */
export const printBehind = async (
  { stdout, tempDir }: Pick<Io, 'stdout' | 'tempDir'>,
  print: (held: { readonly stdout: Output }) => Promise<void>,
  tell: () => Promise<void>,
): Promise<void> => {
  const held = holdBack(tempDir)
  try {
    await print({ stdout: { ...stdout, write: async (text) => held.add(text) } })
  } finally {
    await tell()
    for (const text of held.all()) await stdout.write(text)
    held.close()
  }
}
