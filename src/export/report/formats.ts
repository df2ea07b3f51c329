/** Names the formats of report files. */
export const FILE_FORMATS = ['csv', 'json', 'ndjson', 'yaml', 'markdown', 'xlsx', 'html'] as const

export type FileFormat = (typeof FILE_FORMATS)[number]

/** Describes a format: the endings that stand for it, and what it allows. */
type FormatTraits = {
  readonly endings: readonly string[]
  /** Tells that it is text, which may be compressed and printed. */
  readonly isText: boolean
  /** Tells that each row stands by itself, so that later rows can be added to an earlier file. */
  readonly canGrow: boolean
}

/** Lists the formats. */
const FORMATS: Readonly<Record<FileFormat, FormatTraits>> = {
  csv: { endings: ['.csv'], isText: true, canGrow: true },
  json: { endings: ['.json'], isText: true, canGrow: false },
  ndjson: { endings: ['.ndjson', '.jsonl'], isText: true, canGrow: true },
  yaml: { endings: ['.yaml', '.yml'], isText: true, canGrow: false },
  markdown: { endings: ['.md'], isText: true, canGrow: false },
  xlsx: { endings: ['.xlsx'], isText: false, canGrow: false },
  html: { endings: ['.html', '.htm'], isText: false, canGrow: false },
}

/** Describes what a file's name says: its ending, the format that this stands for, and whether it is compressed. */
type NamedFormat = { readonly ending: string; readonly format: FileFormat | undefined; readonly isGzip: boolean }

/** Returns what the ending of a file's name says of its format. */
export const formatOfName = (name: string): NamedFormat => {
  const lower = name.toLowerCase()
  const isGzip = lower.endsWith('.gz')
  const [ending = ''] = /\.[a-z0-9]+$/.exec(isGzip ? lower.slice(0, -'.gz'.length) : lower) ?? []
  return { ending, format: FILE_FORMATS.find((one) => FORMATS[one].endings.includes(ending)), isGzip }
}

/** Lists the endings that stand for formats, as one text. */
export const knownEndings = (formats: readonly FileFormat[]): string =>
  formats.flatMap((one) => FORMATS[one].endings).join(', ')

/** Tells whether a file of a format may be compressed. */
export const isText = (format: FileFormat): boolean => FORMATS[format].isText

/** Tells whether later rows can be added to a file of a format. */
export const canGrow = (format: FileFormat): boolean => FORMATS[format].canGrow
