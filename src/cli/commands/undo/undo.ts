import { didYouMean, nearest } from '../../../client/nearest.ts'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ENDING, readUndoReceipt, type UndoReceipt, undoReceiptNames } from '../../../runs/entries/receipt.ts'
import { nameOfPath, readHead, runPaths } from '../../../runs/run-record.ts'
import { requireDryRun } from '../../args/dry-run.ts'
import type { Cli } from '../../cli.ts'
import { UsageError, type ExitCode } from '../../exit.ts'
import type { Printed } from '../../output/printed.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { serviceOf, undoLine } from '../../target/service-of.ts'
import { outcomeRow, requireOfService, undoCounts, type UndoFlags } from './undo-outcome.ts'

/** Describes a command that takes back what a receipt tells of, and how receipts are listed. */
type UndoWay = {
  /** Names what is taken back, the command that does, and the one that lists the receipts. */
  readonly what: string
  readonly command: 'undo' | 'entries undo'
  readonly listedBy: string
  readonly listed: () => Promise<Printed['of']>
  readonly list: (cli: Cli) => Promise<void>
}

/** Takes back what any command changed. */
export const ANY_RUN: UndoWay = {
  what: 'what',
  command: 'undo',
  listedBy: 'kpi history',
  listed: async () => (await import('./history.ts')).historyRow,
  list: async (cli) => (await import('./history.ts')).printHistory(cli, {}),
}

/** Takes back imports of entries. */
export const IMPORTS: UndoWay = {
  what: 'which import',
  command: 'entries undo',
  listedBy: 'kpi entries undo',
  listed: async () => (await import('./history.ts')).receiptRow,
  list: async (cli) => (await import('./history.ts')).printReceipts(cli),
}

/** Lists what an undo may print. */
export const undoPrints = async ({ listed }: UndoWay): Promise<readonly Printed[]> => [
  ...[await listed(), outcomeRow].map((of) => ({ of, isList: true })),
  { of: undoCounts, isList: false },
]

/** Returns the path of the record of a run that changed definitions, by its name or path; undefined if there is none. */
const findRun = (cli: Cli, asked: string): string | undefined => {
  const paths = runPaths(receiptsFolder(cli.io))
  const isNamed = (path: string): boolean =>
    nameOfPath(path) === asked || path === resolve(cli.io.cwd, asked) || readHead(path)?.name === asked
  return paths.find(isNamed)
}

/** Returns the receipt with a name or path; throws if there is none, or it is of another service. */
const findReceipt = (cli: Cli, asked: string, listedBy: string): UndoReceipt => {
  const folder = receiptsFolder(cli.io)
  const path = [join(folder, `${asked}${ENDING}`), resolve(cli.io.cwd, asked)].find((one) => existsSync(one))
  if (path === undefined) {
    const ofRuns = runPaths(folder).flatMap((one) => nameOfPath(one) ?? readHead(one)?.name ?? [])
    const near = nearest(asked, [...undoReceiptNames(folder), ...ofRuns])
    throw new UsageError(`there is no receipt "${asked}"${didYouMean(near, `; ${listedBy} lists them`)}`)
  }
  const receipt = readUndoReceipt(path)
  requireOfService(cli, receipt.head.service, serviceOf(cli))
  return receipt
}

/** Runs an undo: lists the receipts, or takes back what the run of one changed. */
export const runUndo = async (
  cli: Cli,
  asked: string | undefined,
  flags: UndoFlags,
  { what, command, listedBy, list }: UndoWay,
): Promise<ExitCode | void> => {
  requireDryRun(flags)
  if (asked === undefined && flags.yes !== true && flags.dryRun !== true) return list(cli)
  if (asked === undefined || asked.trim() === '') {
    const newest = await (
      await import('./history.ts')
    ).newestReceipt(cli, command === 'undo' ? undefined : 'entries import')
    const line = newest === undefined ? '' : `, such as the newest: ${undoLine(cli.flags, command, newest)}`
    throw new UsageError(`say ${what} to take back, by its receipt${line}; ${listedBy} lists the receipts`)
  }
  const path = findRun(cli, asked)
  if (path !== undefined) return (await import('./undo-run.ts')).undoRun(cli, path, flags)
  const receipt = findReceipt(cli, asked, listedBy)
  return (await import('./undo-import.ts')).undoImport(cli, receipt, flags)
}
