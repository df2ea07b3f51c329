import type { FileBytes } from '../inspect.ts'
import { builtInFormat, type CellFormat, describeFormat } from './number-format.ts'
import { readXml } from './xml-stream.ts'

/** Reads what the styles of cells make of numbers, by the places of the styles. */
export const readStyles = async (content: FileBytes, name: string): Promise<readonly CellFormat[]> => {
  const formats = new Map<number, string>()
  const ids: number[] = []
  let isOfCells = false
  await readXml(
    content,
    { name, part: 'styles.xml' },
    {
      open: (tag, attributes) => {
        if (tag === 'cellXfs') isOfCells = true
        if (tag === 'numFmt') formats.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '')
        if (tag === 'xf' && isOfCells) ids.push(Number(attributes['numFmtId'] ?? 0))
      },
      close: (tag) => {
        if (tag === 'cellXfs') isOfCells = false
      },
      text: () => undefined,
    },
  )
  return ids.map((id) => {
    const code = formats.get(id)
    return code === undefined ? builtInFormat(id) : describeFormat(code)
  })
}
