import type { Instant } from '../../../domain/day.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import { countChanges } from '../../../import/undo/noted-changes.ts'
import { listUndoReceipts, type UndoReceipt } from '../../../import/undo/undo-receipt.ts'
import { runOf } from '../../../import/undo/undone-run.ts'
import type { Cli } from '../../cli.ts'
import { tellEmpty } from '../../output/short-answer.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { serviceOf } from '../../target/service-of.ts'
import { placeFlags } from '../../target/settings.ts'

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
