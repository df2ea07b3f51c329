import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nearest } from '../../../client/directory.ts'
import type { Instant } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import { countChanges } from '../../../import/undo/noted-changes.ts'
import {
  ENDING,
  listUndoReceipts,
  readUndoReceipt,
  type UndoReceipt,
  undoReceiptNames,
} from '../../../import/undo/undo-receipt.ts'
import { nameOfPath, readHead, runPaths } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { laterImportsOf, type UndoRest } from '../../../import/undo/undo-rest.ts'
import { runOf, type UndoneRun } from '../../../import/undo/undone-run.ts'
import { UsageError } from '../../exit.ts'
import { tellEmpty } from '../../output/short-answer.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { placeFlags } from '../../target/settings.ts'
import { serviceOf } from '../../target/service-of.ts'
import { wayToService } from './undo-place.ts'

/** Defines a receipt in the list of receipts. */
export const receiptRow = resource({
  name: 'receipt',
  plural: 'receipts',
  title: 'receipt',
  path: '',
  verbs: [],
  fields: {
    // A table must not cut it, as users copy it.
    receipt: { kind: 'text', about: 'Name of the receipt', isSentence: true },
    file: { kind: 'text', about: 'File that was imported' },
    imported_at: { kind: 'datetime', about: 'When the import began' },
    service: { kind: 'text', about: 'Service that it was imported to' },
    account: { kind: 'text', about: 'Account that it was imported to, or the login or key if only that is known' },
    new_things: { kind: 'integer', about: 'How many KPIs, users, assignments and other things it created' },
    new_entries: { kind: 'integer', about: 'How many entries it created, or may have created', nullable: true },
    changed_entries: { kind: 'integer', about: 'How many entries it changed, or may have changed', nullable: true },
    taken_back_at: { kind: 'datetime', about: 'When it was taken back; null if it was not', nullable: true },
    left_entries: {
      kind: 'integer',
      about: 'How many entries were left when it was last noted, where it was taken back in part; null if it was not',
      nullable: true,
    },
    undo_begun_at: {
      kind: 'datetime',
      about: 'When the last undo of it began, if that has not come to its end; null if there is none',
      nullable: true,
    },
  },
})

const instantOf = (at: string): Instant => Math.floor(Date.parse(at) / 1000)

const rowOf = async (receipt: UndoReceipt): Promise<AnyRecord> => {
  const { name, head, things, takenBack, begun } = receipt
  // With what was taken back, the entries of a run that was cut off are gone from its receipt.
  const isWhole = takenBack === undefined && receipt.left.length === 0
  const entries = receipt.entries ?? (isWhole ? await countChanges(receipt) : undefined)
  return {
    receipt: name,
    file: head.file,
    imported_at: instantOf(head.at),
    service: head.service,
    account: head.account?.replace(/^account /, '') ?? '',
    new_things: things.length,
    new_entries: entries?.created ?? null,
    changed_entries: entries?.changed ?? null,
    taken_back_at: takenBack === undefined ? null : instantOf(takenBack),
    left_entries: (takenBack === undefined ? receipt.open : undefined) ?? null,
    undo_begun_at: takenBack === undefined && begun !== undefined ? instantOf(begun) : null,
  }
}

/** Says which undos have not come to their end, and how to go on; the parts of a run are taken back together. */
const tellUnfinished = async (cli: Cli, receipts: readonly UndoReceipt[]): Promise<void> => {
  const told = new Set<string>()
  for (const receipt of receipts.filter(({ begun, takenBack }) => begun !== undefined && takenBack === undefined)) {
    if (told.has(receipt.name)) continue
    const { head, parts } = runOf(receipt, receipts)
    for (const { name } of parts) told.add(name)
    const counts = parts.flatMap(({ open }) => open ?? [])
    const left =
      counts.length > 0
        ? `${countOf(
            counts.reduce((sum, one) => sum + one, 0),
            'entry',
            'entries',
          )} left; `
        : ''
    const flags = placeFlags(cli.flags).map((one) => ` ${shellWord(one)}`)
    await cli.note(
      `an undo of the import of ${head.file} has not come to its end: ${left}unless it still runs, continue it: kpi entries undo ${shellWord(receipt.name)}${flags.join('')}`,
    )
  }
}

/** Lists the receipts of the service that the line is for; says how many there are of others, and which cannot be read. */
export const printReceipts = async (cli: Cli): Promise<void> => {
  const { receipts, faults } = listUndoReceipts(receiptsFolder(cli.io))
  const own = receipts.filter(({ head }) => head.service === serviceOf(cli))
  const rows: AnyRecord[] = []
  for (const receipt of own.toSorted((one, other) => other.head.at.localeCompare(one.head.at)))
    rows.push(await rowOf(receipt))
  await cli.printMany(receiptRow.shown, rows)
  await tellUnfinished(cli, own)
  if (own.length === 0) await tellEmpty(cli, receiptRow)
  const others = receipts.length - own.length
  if (others > 0) await cli.note(`${countOf(others, 'receipt')} of other services; --profile or --data-dir names one`)
  for (const { message } of faults) await cli.note(`not listed: ${message}`)
}

/** Returns the path of the record of a run that changed definitions, by its name or path; undefined if there is none. */
export const findRun = (cli: Cli, asked: string): string | undefined => {
  const paths = runPaths(receiptsFolder(cli.io))
  const isNamed = (path: string): boolean =>
    nameOfPath(path) === asked || path === resolve(cli.io.cwd, asked) || readHead(path)?.name === asked
  return paths.find(isNamed)
}

/** Returns the receipt with a name or path; throws if there is none, or it is of another service. */
export const findReceipt = (cli: Cli, asked: string, listedBy: string): UndoReceipt => {
  const folder = receiptsFolder(cli.io)
  const path = [join(folder, `${asked}${ENDING}`), resolve(cli.io.cwd, asked)].find((one) => existsSync(one))
  if (path === undefined) {
    const ofRuns = runPaths(folder).flatMap((one) => nameOfPath(one) ?? readHead(one)?.name ?? [])
    const near = nearest(asked, [...undoReceiptNames(folder), ...ofRuns])
    const others = near === undefined ? `${listedBy} lists them` : `did you mean ${near}?`
    throw new UsageError(`there is no receipt "${asked}"; ${others}`)
  }
  const receipt = readUndoReceipt(path)
  const service = serviceOf(cli)
  if (receipt.head.service === service) return receipt
  throw new KpiError(
    'malformed',
    `the receipt is of ${receipt.head.service}, and this command is for ${service}; take it back with ${wayToService(cli, receipt.head.service)}`,
  )
}

/** Says that a run was cut off and continued, so that it has several receipts, which are taken back together. */
export const tellParts = async (cli: Cli, { head, parts }: UndoneRun): Promise<void> => {
  if (parts.length === 1) return
  const names = parts.map(({ name }) => name).join(', ')
  await cli.note(`the import of ${head.file} was continued, and has ${parts.length} receipts: ${names}`)
}

/** Says why some of what a run stored may not be in its receipts, and stays; tells whether that is so. */
export const tellLeftOut = async (cli: Cli, { parts }: UndoneRun): Promise<boolean> => {
  const part = parts.find(({ leftOut }) => leftOut !== undefined)
  if (part)
    await cli.note(
      `some of what the import stored may not be in receipt ${part.name}; such entries stay: ${part.leftOut}`,
    )
  return part !== undefined
}

/** Names the later imports that stored what was not changed, if any did; once these are taken back, it can be. */
export const tellLater = async (cli: Cli, run: UndoneRun, { keys }: UndoRest): Promise<boolean> => {
  const { receipts } = listUndoReceipts(receiptsFolder(cli.io))
  const later = await laterImportsOf(run, keys(), receipts)
  if (later.length === 0) return false
  const lines = later.map(({ name }) => `kpi entries undo ${shellWord(name)}`).join(', then ')
  await cli.note(
    `some of these entries were stored by a later import, too; to take back all of them: ${lines}, then this command again`,
  )
  return true
}
