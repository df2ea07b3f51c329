import { nearest } from '../src/client/nearest.ts'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { splitList } from '../src/cli/args/names.ts'
import { readBaseUrl } from '../src/cli/target/base-url.ts'
import { printFailure } from '../src/cli/failure.ts'
import { createTable } from '../src/cli/output/table.ts'
import { parseContent, parseError, parseRetryAfter } from '../src/client/http/response.ts'
import { createDirectory } from '../src/client/directory.ts'
import { readKeyInfo } from '../src/client/http/credentials.ts'
import { readRateLimitInfo } from '../src/client/rate-limit/rate-limit-headers.ts'
import { readJson } from '../src/codec/json.ts'
import { parseExactJson } from '../src/codec/json-number.ts'
import { KpiError } from '../src/domain/errors.ts'
import { valueOfText } from '../src/domain/field-value.ts'
import { entry } from '../src/domain/resources/entry.ts'
import { unit } from '../src/domain/resources/catalog.ts'
import { user } from '../src/domain/resources/user.ts'
import { isWholeDate } from '../src/reading/formats/known-formats.ts'
import { roleOf } from '../src/reading/columns/header.ts'
import { createDateColumn } from '../src/reading/formats/date-column.ts'
import { dateFormat, PLAIN_FORMAT } from '../src/reading/formats/date-format.ts'
import { createNumberColumn } from '../src/reading/detect/number-column.ts'
import { NumberWords } from '../src/reading/formats/number-words.ts'
import { createUnits } from '../src/reading/detect/units.ts'
import type { RereadableFile } from '../src/tabular/source/files.ts'
import { openTable } from '../src/reading/open-table.ts'
import { parseBasic } from '../src/server/auth/basic.ts'
import { isHost, readTarget, shownTarget } from '../src/server/request-target.ts'
import { parseQuery } from '../src/server/api/query.ts'
import { testIo } from './support/io.ts'
import { some } from './support/soak/tests.ts'

/** Texts that are repeated to attack what reads them: what regular expressions of such readers repeat, two by two. */
const PARTS = [
  'a',
  '0',
  ' ',
  '\t',
  '-',
  '_',
  '.',
  ',',
  ':',
  ';',
  '"',
  '=',
  '/',
  '\\',
  '[',
  '{',
  '(',
  '<',
  '#',
  '%',
  '@',
]
const PUMPS = [
  ...PARTS,
  'a-',
  '0,',
  ', ',
  '""',
  '" ',
  ',"',
  '0 ',
  ': ',
  ' :',
  '//',
  '=/',
  '[]',
  '{"a":',
  '\n',
  '\r',
  ' \n',
  '1e',
  'T ',
  '\u0300',
  'e\u0301',
  '\u4e2d',
  '\u{1f600}',
  '\u{1f468}\u200d',
  '\u200b',
  '\u00a0',
  '\u009b',
  '\ud800',
  'kpi_a_0',
]
/** What a text begins with, where what follows is read another way. */
const BEGINNINGS = ['', ':']
const LENGTH = 100_000
/** What takes the square of that length in steps takes many times as long. */
const BOUND_MS = 6000

const TEXTS = BEGINNINGS.flatMap((start) => PUMPS.map((pump) => start + pump.repeat(LENGTH / pump.length)))

const answer = (text: string): Parameters<typeof parseError>[0] => ({
  status: 403,
  header: () => text,
  body: JSON.stringify({ message: text, errors: [{ pointer: `/entries/${text}`, detail: text }] }),
})

const sourceOf = (content: string | Buffer, name = 'data.csv'): RereadableFile => ({
  name,
  open: async function* () {
    yield* Readable.from([Buffer.from(content)]) as AsyncIterable<Buffer>
  },
  stamp: () => '',
  mode: 0o600,
  close: () => undefined,
})

const readFile = async (content: string | Buffer, name?: string): Promise<void> => {
  const table = await openTable(sourceOf(content, name))
  for await (const rows of table.rows()) expect(rows.length).toBeGreaterThanOrEqual(0)
}

const names = Array.from({ length: 300 }, (_, at) => ({ id: at + 1, name: `Name ${at}`, email: `a${at}@example.com` }))
const directory = createDirectory('KPI', names)
/** As much of a text as a table of some thousand rows may hold in one: each letter is measured. */
const shortOf = (text: string): string => text.slice(0, 20_000)
const titles = [{ title: 'a', isNumber: false, whereLong: 'wraps' } as const]
const FIELDS = [...Object.values(entry.fields), unit.fields.display_format, user.fields.email]
/** All that reads texts of strangers: files, answers of services, headers, the command line. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a cell of numbers': (text) => {
    const column = createNumberColumn('actual', '.', false, createUnits().watch('actual'), {
      words: new NumberWords(undefined, false),
    })
    return [column.read(text, 1), column.note(text, 2, 1), column.doubts(), column.remarks()]
  },
  'a cell of dates': (text) => {
    const column = createDateColumn('date', PLAIN_FORMAT, 'assumed')
    return [column.read(text, 1), column.note(text, 2), column.doubts(), column.remarks()]
  },
  'a cell of dates in a given form': (text) => createDateColumn('date', PLAIN_FORMAT, 'given').read(text, 1),
  'a form of dates': dateFormat,
  'a header': (text) => [roleOf(text), isWholeDate(text)],
  'a file': (text) => readFile(text),
  'a file of JSON': (text) => readFile(text, 'data.json'),
  'a record of JSON': (text) => readFile(`[{"a":"b",${text}`, 'data.json'),
  'a text of JSON': (text) => readFile(JSON.stringify([{ [text]: text }]), 'data.json'),
  'what is beside records': (text) => readFile(`{"a":[${text}`, 'data.json'),
  'lines of JSON': (text) => readFile(`{"a":1}\n${text}`, 'data.ndjson'),
  'a file that is not UTF-8': (text) => readFile(Buffer.from(`name,n\nM\u00fcller,${text}\n`, 'latin1')),
  'a field': (text) => FIELDS.map((field) => valueOfText(field, text)),
  'a field of JSON': (text) => entry.writable.map(({ field }) => readJson(field, text, true)),
  'a number of JSON': (text) => parseExactJson(text),
  'a name': (text) => [directory.find(text), nearest(text, [text.slice(1), 'Name'])],
  'the message of a refusal': (text) => parseError(answer(text), 0),
  'a body that is no JSON': (text) => parseContent({ ...answer(text), body: text }),
  'a Retry-After': (text) => parseRetryAfter(text, 0),
  'headers of a limit': (text) => readRateLimitInfo(answer(text), 0),
  'headers of a key': (text) => readKeyInfo(() => text),
  'an error that is told': (text) => printFailure(new KpiError('malformed', text), [], testIo({ home: '/' }).io),
  'a table': async (text) => createTable(titles, { color: false })([[shortOf(text)]]),
  'a table at a terminal': async (text) => createTable(titles, { color: false, width: 80 })([[shortOf(text)]]),
  'a list of names': splitList,
  'a base URL': readBaseUrl,
  'a target': (text) => [readTarget(text), readTarget(`http://${text}`), shownTarget(text), isHost(text)],
  'a query': parseQuery,
  'a login': (text) => [parseBasic(text), parseBasic(`Basic ${text}`)],
}

/** Milliseconds that the processor has worked for this thread: other work on the machine does not count. */
const processorTime = (): number => process.threadCpuUsage().user / 1000

/** Sets how often a text is read whose reading took long: a busy host of this machine counts as work of this thread. */
const READS = 3

/** Reads a text, which may be refused; returns how long the processor took. */
const timeOnce = async (read: (text: string) => unknown, text: string): Promise<number> => {
  const start = processorTime()
  try {
    await read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
  }
  return processorTime() - start
}

/** Returns how long the processor takes at least for a text; reads again only what takes long. */
const timeOf = async (read: (text: string) => unknown, text: string): Promise<number> => {
  let least = Infinity
  for (let reads = 0; reads < READS && least > BOUND_MS; reads += 1) least = Math.min(least, await timeOnce(read, text))
  return least
}

test.each(Object.entries(READERS))('%s of any length is read in the time that it is long', async (_, read) => {
  const slow: [start: string, milliseconds: number][] = []
  for (const text of some(24, TEXTS)) {
    const time = await timeOf(read, text)
    if (time > BOUND_MS) slow.push([text.slice(0, 20), Math.round(time)])
  }
  expect(slow).toEqual([])
})
