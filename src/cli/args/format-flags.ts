import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { DECIMALS } from '../../reading/options/options.ts'
import { delimiterName, DELIMITERS, type Encoding, ENCODINGS, encodingNamed } from '../../tabular/source/text-format.ts'
import { collect } from './flags.ts'

/** Creates the flag that gives a file's delimiter. */
export const separatorFlag = () =>
  new Option('--separator <sign>', 'the character between cells, if it is not detected correctly').choices(
    DELIMITERS.map(delimiterName),
  )

const parseEncoding = (name: string): Encoding => {
  const encoding = encodingNamed(name)
  if (encoding) return encoding
  throw new InvalidArgumentError(
    `There is no such encoding. Allowed are ${ENCODINGS.join(', ')}, and their usual other names, such as cp1250, latin2, sjis and gbk.`,
  )
}

/** Creates the flag that gives a file's character encoding, by its name or one of its usual other names. */
export const encodingFlag = () =>
  new Option('--encoding <name>', 'the character encoding, if it is not detected correctly')
    .choices(ENCODINGS)
    .argParser(parseEncoding)

/** Creates the flag that gives the place of the records in a JSON document. */
export const recordsFlag = () =>
  new Option('--records <path>', 'the list of records in a JSON document that is an object: data, or data.items')

/** Creates the flag that gives the decimal sign of a file's numbers. */
export const decimalFlag = () => new Option('--decimal <sign>', 'the decimal sign of numbers').choices(DECIMALS)

/** Creates the flag that says what words beside numbers, and units in headings, multiply them by. */
export const scaleFlag = () =>
  new Option(
    '--scale <word=scale,...>',
    'what a word beside numbers or in a heading stands for: Cr=crore, M=thousand, "k€=1000"; WORD=1 takes numbers as they are',
  ).argParser(collect)

/** Creates the flag that says which words stand for no value. */
export const missingFlag = () =>
  new Option('--missing <word,...>', 'words that stand for no value, such as NA,-,n/a (default: asked)').argParser(
    collect,
  )

/** Creates the flag that makes the e-mail addresses of new users of their names. */
export const emailPatternFlag = () =>
  new Option('--email-pattern <pattern>', "e-mail addresses of new users, such as '{name}@example.com'")

/** Creates the flag that says how many lines stand before the header of a file. */
export const skipLinesFlag = () =>
  new Option('--skip-lines <n>', 'lines before the header, such as titles (default: found)')

/** Creates the flag that leaves out rows of a file by a cell, such as those of totals. */
export const ignoreRowsFlag = () =>
  new Option(
    '--ignore-rows <text,...>',
    'leave out rows with such a cell, or one that begins so: Total,"Source:*"; none: no others',
  ).argParser(collect)

const SHEET = 'of a workbook, by name or number'

/** Creates the flag that chooses a sheet of a workbook. */
export const sheetFlag = () =>
  new Option('--sheet <sheet>', `the sheet ${SHEET} (default: the only one with rows)`).argParser(collect)

/** Creates the flag that chooses sheets of workbooks. */
export const sheetsFlag = () =>
  new Option(
    '--sheet <sheet,...>',
    `the sheets ${SHEET}; '*' is all that hold a table, 'Q*' those called so (default: the only one with rows)`,
  ).argParser(collect)

/** Creates the flag that says where the rejected rows of a file go. */
export const rejectsFlag = () => new Option('--rejects <file>', 'the file for the rejected rows')
