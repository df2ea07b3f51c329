import { posix } from 'node:path'
import type { ZipArchive, ZipEntry } from '../packing/zip.ts'
import { readSharedStrings } from './shared-strings.ts'
import { requireFewSheets, type Sheet, unreadableWorkbook, type Workbook } from './workbook.ts'
import { type CellContext, measureXlsxSheet, readXlsxSheet } from './xlsx-sheet.ts'
import { readStyles } from './xlsx-styles.ts'
import { readXml } from './xml-stream.ts'

/** Finds a file of an archive by its path; programs differ in upper and lower case. */
type FindEntry = (path: string) => ZipEntry | undefined

const finder = ({ entries }: ZipArchive): FindEntry => {
  const byPath = new Map(entries.map((entry) => [entry.path.toLowerCase(), entry]))
  return (path) => byPath.get(path.toLowerCase())
}

/** Describes what one part of a workbook says of another: its kind, and where it is. */
type Relation = { readonly id: string; readonly kind: string; readonly path: string }

/** Reads the relations of a part; `''` is the package itself. */
const readRelations = async (find: FindEntry, part: string, name: string): Promise<readonly Relation[]> => {
  const entry = find(posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`))
  const relations: Relation[] = []
  if (!entry) return relations
  await readXml(
    entry.content(),
    { name, part: entry.path },
    {
      open: (tag, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) => {
        if (tag !== 'Relationship' || mode === 'External') return
        const path = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target)
        relations.push({ id, kind: type.slice(type.lastIndexOf('/') + 1), path })
      },
      close: () => undefined,
      text: () => undefined,
    },
  )
  return relations
}

/** Describes a sheet as the workbook lists it. */
type ListedSheet = { readonly name: string; readonly relation: string; readonly isHidden: boolean }

const readSheetList = async (entry: ZipEntry, name: string): Promise<{ sheets: ListedSheet[]; is1904: boolean }> => {
  const sheets: ListedSheet[] = []
  let is1904 = false
  await readXml(
    entry.content(),
    { name, part: entry.path },
    {
      open: (tag, attributes) => {
        if (tag === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
        if (tag !== 'sheet') return
        // The prefix of the id is up to the program.
        const [, relation = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? []
        const state = attributes['state'] ?? 'visible'
        sheets.push({ name: attributes['name'] ?? '', relation, isHidden: state !== 'visible' })
        requireFewSheets(sheets.length, name)
      },
      close: () => undefined,
      text: () => undefined,
    },
  )
  return { sheets, is1904 }
}

const openPart = (find: FindEntry, relations: readonly Relation[], kind: string): ZipEntry | undefined => {
  const relation = relations.find((one) => one.kind === kind)
  return relation && find(relation.path)
}

const BINARY = 'it is a binary workbook (.xlsb); open it in a spreadsheet program, and save it as .xlsx or as CSV'

/** Opens a workbook of Excel; undefined if the archive holds something else. */
export const openXlsx = async (
  archive: ZipArchive,
  name: string,
  folder: string,
  signal?: AbortSignal,
): Promise<(Workbook & { readonly close: () => void }) | undefined> => {
  const find = finder(archive)
  if (find('xl/workbook.bin')) throw unreadableWorkbook(name, BINARY)
  const entry = openPart(find, await readRelations(find, '', name), 'officeDocument') ?? find('xl/workbook.xml')
  if (!entry || /^(?:word|ppt)\//i.test(entry.path)) return undefined
  const relations = await readRelations(find, entry.path, name)
  const { sheets: listed, is1904 } = await readSheetList(entry, name)
  const [styles, strings] = ['styles', 'sharedStrings'].map((kind) => openPart(find, relations, kind))
  const context: CellContext = {
    name,
    is1904,
    styles: styles ? await readStyles(styles.content(), name, signal) : [],
    strings: strings && (await readSharedStrings(strings.content(), name, folder)),
  }
  const paths = new Map(relations.flatMap(({ id, kind, path }) => (kind === 'worksheet' ? [[id, path]] : [])))
  const sheets = listed.flatMap((sheet): Sheet[] => {
    const path = paths.get(sheet.relation)
    const content = path === undefined ? undefined : find(path)
    if (!content) return []
    const part = { content: content.content, sheet: sheet.name, context }
    return [{ ...sheet, measure: () => measureXlsxSheet(part), read: (onRow) => readXlsxSheet(part, onRow) }]
  })
  return { kind: 'xlsx', evidence: `it holds ${entry.path}`, sheets, close: () => context.strings?.close() }
}
