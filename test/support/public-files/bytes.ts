import { inflateRawSync } from 'node:zlib'

/*
 * How the public files are read a second time: by hand, and with nothing of `src`, so that a mistake of the import is not
 * made here too.
 */

/** Splits text into rows of cells, with quotes as RFC 4180 has them. */
export const rowsOf = (text: string, separator = ','): string[][] => {
  const rows: string[][] = [[]]
  let cell = ''
  let quoted = false
  const endCell = (): void => {
    rows.at(-1)?.push(cell)
    cell = ''
  }
  const body = text.replace(/^\uFEFF/, '')
  for (let at = 0; at < body.length; at++) {
    const char = body.charAt(at)
    if (char === '"' && (quoted || cell === '' || body[at - 1] === '"')) quoted = !quoted
    if (char === '"' && quoted && cell !== '' && body[at - 1] === '"') cell += '"'
    if (char === '"' || (char === '\r' && !quoted)) continue
    if (quoted || (char !== separator && char !== '\n')) cell += char
    else {
      endCell()
      if (char === '\n') rows.push([])
    }
  }
  endCell()
  return rows.filter((row) => row.some((one) => one.trim() !== ''))
}

/** Decodes bytes of an encoding. */
export const textOf = (bytes: Uint8Array, encoding = 'utf-8'): string => new TextDecoder(encoding).decode(bytes)

/** Unpacks one member of a ZIP archive, found through its central directory. */
export const memberOf = (zip: Buffer, name: (member: string) => boolean): Buffer => {
  let at = zip.readUInt32LE(zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1') + 16)
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const length = zip.readUInt16LE(at + 28)
    const local = zip.readUInt32LE(at + 42)
    if (name(zip.toString('utf8', at + 46, at + 46 + length))) {
      const data = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
      const packed = zip.subarray(data, data + zip.readUInt32LE(at + 20))
      return zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
    }
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  throw new Error('the archive has no such member')
}

const plain = (xml: string): string =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

const columnAt = (reference: string): number =>
  Array.from(reference.replace(/[0-9]+/, '')).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

/** Reads the rows of a workbook's sheet, each cell as it is stored. */
export const sheetOf = (workbook: Buffer, sheet: number): string[][] => {
  const shared = memberOf(workbook, (name) => name === 'xl/sharedStrings.xml').toString('utf8')
  const strings = shared
    .split('<si>')
    .slice(1)
    .map((one) => plain([...one.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text).join('')))
  const xml = memberOf(workbook, (name) => name === `xl/worksheets/sheet${sheet}.xml`).toString('utf8')
  return xml
    .split('<row ')
    .slice(1)
    .map((row) => {
      const cells: string[] = []
      for (const cell of row.split('<c ').slice(1)) {
        const at = columnAt(/r="([A-Z]+[0-9]+)"/.exec(cell)?.[1] ?? 'A1')
        const value = /<v>([^<]*)<\/v>/.exec(cell)?.[1] ?? ''
        cells[at] = cell.slice(0, cell.indexOf('>')).includes('t="s"') ? (strings[Number(value)] ?? '') : plain(value)
      }
      return Array.from(cells, (cell) => cell ?? '')
    })
}

/** Writes a number of a file as a decimal with at most four decimals, rounded half away from zero. */
export const decimalOf = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.trim().toLowerCase().split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.')
  const shift = Number(exponent)
  const digits = (whole + fraction).padEnd(Math.max(whole.length + shift, 0), '0')
  const point = whole.length + shift
  const padded = (point < 1 ? '0'.repeat(1 - point) + digits : digits).padEnd(Math.max(point, 1) + 5, '0')
  const end = Math.max(point, 1) + 4
  const rounded = BigInt(padded.slice(0, end)) + (padded.charCodeAt(end) >= 53 ? 1n : 0n)
  const written = rounded.toString().padStart(5, '0')
  const tail = written.slice(-4).replace(/0+$/, '')
  return `${rounded === 0n ? '' : sign}${written.slice(0, -4)}${tail === '' ? '' : `.${tail}`}`
}

/** Turns the serial number of a spreadsheet into a date. */
export const serialDay = (serial: string): string =>
  new Date(Date.UTC(1899, 11, 30) + Math.floor(Number(serial)) * 86_400_000).toISOString().slice(0, 10)

/** Turns the parts of a date into a date. */
export const day = (year: string, month: string, dayOfMonth = '1'): string =>
  `${year.trim()}-${month.trim().padStart(2, '0')}-${dayOfMonth.trim().padStart(2, '0')}`

/** Turns an ISO week into its Monday. */
export const monday = (year: string, week: string): string => {
  const fourth = Date.UTC(Number(year), 0, 4)
  const first = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * 86_400_000
  return new Date(first + (Number(week) - 1) * 7 * 86_400_000).toISOString().slice(0, 10)
}
