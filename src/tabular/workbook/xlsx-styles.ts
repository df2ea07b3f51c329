import type { FileBytes } from '../source/inspect.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { builtInFormat, type CellFormat, describeFormat } from './number-format.ts'
import { unreadableWorkbook } from './workbook.ts'
import { readXml } from './xml-stream.ts'
import { countText } from '../../domain/count-text.ts'

/** Bounds the formats of numbers, and the styles of cells: no spreadsheet program writes more. */
const MOST_STYLES = 1 << 16
/** Bounds the characters of a number format, of which Excel writes 255 at most. */
const LONGEST_FORMAT = 1024

/** Sets how many styles are described in one turn. */
const STYLES_PER_TURN = 1000

const requireFew = (count: number, name: string): void => {
  if (count <= MOST_STYLES) return
  throw unreadableWorkbook(
    name,
    `it has more than ${countText(MOST_STYLES)} styles of cells; copy its values to a new workbook, or save the sheet as CSV`,
  )
}

const requireShortFormat = (code: string, name: string): void => {
  if (code.length <= LONGEST_FORMAT) return
  throw unreadableWorkbook(
    name,
    `a number format in it has ${countText(code.length)} characters, and at most ${countText(LONGEST_FORMAT)} are read; choose another format for these cells, or save the sheet as CSV`,
  )
}

/** Reads what the styles of cells make of numbers, by the places of the styles. */
export const readStyles = async (
  content: FileBytes,
  name: string,
  signal?: AbortSignal,
): Promise<readonly CellFormat[]> => {
  const formats = new Map<number, string>()
  const ids: number[] = []
  let isOfCells = false
  await readXml(
    content,
    { name, part: 'styles.xml' },
    {
      open: (tag, attributes) => {
        if (tag === 'cellXfs') isOfCells = true
        if (tag === 'numFmt') {
          const code = attributes['formatCode'] ?? ''
          requireShortFormat(code, name)
          formats.set(Number(attributes['numFmtId']), code)
          requireFew(formats.size, name)
        }
        if (tag === 'xf' && isOfCells) {
          ids.push(Number(attributes['numFmtId'] ?? 0))
          requireFew(ids.length, name)
        }
      },
      close: (tag) => {
        if (tag === 'cellXfs') isOfCells = false
      },
      text: () => undefined,
    },
  )
  const described = new Map<number, CellFormat>()
  const styles: CellFormat[] = []
  for (const id of ids) {
    const code = formats.get(id)
    const format = described.get(id) ?? (code === undefined ? builtInFormat(id) : describeFormat(code))
    described.set(id, format)
    styles.push(format)
    if (styles.length % STYLES_PER_TURN === 0) await nextTurn(signal)
  }
  return styles
}
