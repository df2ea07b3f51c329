import { basename, resolve } from 'node:path'
import { requireWritable } from '../../../../files/write-file.ts'
import { fileOfReceipt } from '../../../../loading/verify/earlier-receipt.ts'
import { describeDifference, type Verification } from '../../../../loading/verify/verified.ts'
import type { VerificationOptions } from '../../../../loading/prepare/import-types.ts'
import type { Cli } from '../../../cli.ts'
import { EXIT, exitOf, UsageError } from '../../../exit.ts'
import { requireFree } from '../../../files/require-free.ts'
import { countOf } from '../../../output/text.ts'
import { findPlace, type Place } from '../../../target/place.ts'
import type { FileOutcome } from './result.ts'
import { type ImportSource, stemOf } from './sources.ts'

const placeOf = (place: Place): VerificationOptions['place'] =>
  place.kind === 'embedded'
    ? { service: place.dataDir, profile: null, login: null }
    : {
        service: place.baseUrl,
        profile: place.profile ?? null,
        login: place.kind === 'classic' ? place.login : null,
      }

/** Returns what `--verify` and `--receipt` ask for. */
export const parseVerification = (
  cli: Cli,
  { label, stem }: Pick<ImportSource, 'label' | 'stem'>,
  rejectsFile: string,
  receipt: string | undefined,
): VerificationOptions => {
  const { cwd } = cli.io
  const path = receipt ?? `${stem}.receipt.json`
  const other = [label, rejectsFile].find((one) => resolve(cwd, one) === resolve(cwd, path))
  if (other !== undefined) throw new UsageError(`--receipt ${path} is also ${other}; name another`)
  return {
    receiptPath: resolve(cwd, path),
    isNamed: receipt !== undefined,
    place: placeOf(findPlace(cli.io, cli.flags)),
    receiptFile: path,
    rejectsFile,
  }
}

const nameOf = (file: string): string => basename(stemOf(file))

/**
 * Makes sure that a receipt can be written, before anything is sent. It may replace the receipt of an earlier
 * verification of a file of this name; anything else only as every output may.
 */
export const readyReceipt = async (
  cli: Cli,
  { receiptPath, receiptFile, isNamed }: VerificationOptions,
  file: string,
): Promise<void> => {
  requireWritable(receiptPath, { isNamed: isNamed === true })
  const earlier = fileOfReceipt(receiptPath)
  if (earlier !== undefined && nameOf(earlier) === nameOf(file)) return
  await requireFree(cli, receiptFile, cli.flags.force)
}

/** Returns the note on what could not be compared of a run that was continued. */
const notComparedNote = (count: number): string =>
  count === 0
    ? ''
    : `; not compared: ${countOf(count, 'entry', 'entries')} of an earlier part of the run, because what the rows refer to has changed since, and what was sent cannot be told apart from what was stored before`

/** Returns the note of a verification that found everything as it should be. */
export const verificationNote = ({ compared, notCompared }: Verification): string =>
  `read back and compared: ${countOf(compared, 'entry', 'entries')}, as sent${notComparedNote(notCompared)}`

/** Returns the outcome of a verification that found differences. */
export const verificationOutcome = (
  { compared, equal, notCompared, first, failure }: Verification,
  receiptFile: string,
): FileOutcome | undefined => {
  if (failure) {
    const lines = [
      `everything was sent, but it could not be read back and compared: ${failure.message}; run the same command to compare it`,
    ]
    return { exit: exitOf(failure), code: failure.code, lines }
  }
  if (compared === equal) return undefined
  const differ = countOf(compared - equal, 'entry differs', 'entries differ')
  const lines = [
    ...first.map(describeDifference),
    `${differ} from what was sent; all differences are in ${receiptFile}${notComparedNote(notCompared)}`,
  ]
  return { exit: EXIT.failed, code: 'differs', lines }
}
