import { createSpillFile } from '../../files/spill-file.ts'
import type { FileBytes } from '../source/inspect.ts'
import { requireShortText, unreadableWorkbook } from './workbook.ts'
import { decodeEscapes } from './xlsx-text.ts'
import { readXml } from './xml-stream.ts'
import { countText } from '../../domain/count-text.ts'

/** Sets how many characters of strings are kept in memory; others go to a temporary file. */
const MOST_IN_MEMORY = 16 * 1024 ** 2
/** Sets what a string takes beside its characters, counted in these. */
const PER_TEXT = 16
/** Bounds how many strings there are: a place of eight bytes is kept for each. */
const MOST_TEXTS = 1 << 24
const BLOCK_BYTES = 1 << 16
const BLOCK_TEXTS = 1 << 12

/** Holds the texts of a workbook, which its cells refer to by their places. */
export type SharedStrings = { readonly at: (place: number) => string | undefined; readonly close: () => void }

/** Holds texts by their places: the first in memory, others in a temporary file. */
const createStore = (folder: string): SharedStrings & { readonly add: (text: string) => void } => {
  const texts: string[] = []
  let length = 0
  let file: ReturnType<typeof createSpillFile> | undefined
  /** Holds where each text in the file ends. */
  let ends = new Float64Array(1024)
  let [count, end] = [0, 0]
  let block: Buffer[] = []
  let blockBytes = 0
  const flush = (): void => {
    file?.append(Buffer.concat(block))
    block = []
    blockBytes = 0
  }
  const spill = (text: string): void => {
    file ??= createSpillFile(folder)
    const bytes = Buffer.from(text)
    block.push(bytes)
    blockBytes += bytes.length
    if (blockBytes > BLOCK_BYTES || block.length > BLOCK_TEXTS) flush()
    if (count === ends.length) {
      const longer = new Float64Array(ends.length * 2)
      longer.set(ends)
      ends = longer
    }
    end += bytes.length
    ends[count++] = end
  }
  return {
    add: (text) => {
      length += text.length + PER_TEXT
      if (length <= MOST_IN_MEMORY && count === 0) texts.push(text)
      else spill(text)
    },
    at: (place) => {
      if (place < texts.length || !file) return texts[place]
      if (blockBytes > 0) flush()
      const at = place - texts.length
      if (at >= count) return undefined
      const start = at === 0 ? 0 : (ends[at - 1] ?? 0)
      const bytes = Buffer.allocUnsafe((ends[at] ?? 0) - start)
      file.read(bytes, start)
      return bytes.toString()
    },
    close: () => file?.close(),
  }
}

/** Reads the shared texts of a workbook. Of rich text only the letters count, and phonetic hints are left out. */
export const readSharedStrings = async (content: FileBytes, name: string, folder: string): Promise<SharedStrings> => {
  const store = createStore(folder)
  let [text, isText, hints, places] = ['', false, 0, 0]
  await readXml(
    content,
    { name, part: 'sharedStrings.xml' },
    {
      open: (tag) => {
        if (tag === 'si') text = ''
        if (tag === 'rPh') hints += 1
        isText = tag === 't' && hints === 0
      },
      close: (tag) => {
        if (tag === 'si') {
          places += 1
          if (places > MOST_TEXTS)
            throw unreadableWorkbook(
              name,
              `it has more than ${countText(MOST_TEXTS)} different texts; save the sheet as CSV`,
            )
          store.add(decodeEscapes(text))
        }
        if (tag === 'rPh') hints -= 1
        isText = false
      },
      text: (part) => {
        if (!isText) return
        text += part
        requireShortText(text.length, name, `text ${places} of the shared ones`)
      },
    },
  )
  return store
}
