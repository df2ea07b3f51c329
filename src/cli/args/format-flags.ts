import { Option } from '@commander-js/extra-typings'
import { DECIMALS, delimiterName, DELIMITERS, ENCODINGS } from '../../import/options.ts'

/** Creates the flag that gives a file's delimiter. */
export const separatorFlag = () =>
  new Option('--separator <sign>', 'the character between cells, if it is not detected correctly').choices(
    DELIMITERS.map(delimiterName),
  )

/** Creates the flag that gives a file's character encoding. */
export const encodingFlag = () =>
  new Option('--encoding <name>', 'the character encoding, if it is not detected correctly').choices(ENCODINGS)

/** Creates the flag that gives the decimal sign of a file's numbers. */
export const decimalFlag = () => new Option('--decimal <sign>', 'the decimal sign of numbers').choices(DECIMALS)
