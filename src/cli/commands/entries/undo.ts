import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { nearest } from '../../../client/directory.ts'
import { KpiError } from '../../../domain/errors.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import { listReceipts, readReceipt, type Receipt, removeReceipt } from '../../../import/missing/receipt.ts'
import { type Clients, type Fate, GONE, judgeThings, takeBack } from '../../../import/missing/take-back.ts'
import { askForYes } from '../../args/prompt.ts'
import { type Cli, PACED } from '../../cli.ts'
import { EXIT, UsageError } from '../../exit.ts'
import type { Printed } from '../../output/printed.ts'
import { tellEmpty } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { receiptsFolder, serviceOf, withClassic } from './created.ts'
import type { UndoFlags } from './undo-command.ts'

/** Defines a receipt in the list of receipts. */
const receiptRow = resource({
  name: 'receipt',
  plural: 'receipts',
  title: 'receipt',
  path: '',
  verbs: [],
  fields: {
    receipt: { kind: 'text', about: 'Name of the receipt' },
    created_at: { kind: 'text', about: 'When the import created things' },
    file: { kind: 'text', about: 'File that was imported' },
    things: { kind: 'integer', about: 'How many things it created' },
    service: { kind: 'text', about: 'Service that they are on' },
  },
})

/** Defines what becomes of something that an import created. */
const fateRow = resource({
  name: 'created_thing',
  plural: 'created_things',
  title: 'created thing',
  path: '',
  verbs: [],
  fields: {
    action: { kind: 'text', about: 'remove, or leave' },
    kind: { kind: 'text', about: 'assignment, kpi, item, user, group, unit or category' },
    id: { kind: 'integer', about: 'Id' },
    name: { kind: 'text', about: 'Name' },
    entries: { kind: 'integer', about: 'How many entries it has' },
    reason: { kind: 'text', about: 'Why it is left alone', nullable: true, isSentence: true },
  },
})

/** Lists what `kpi entries undo` may print. */
export const undoPrints: readonly Printed[] = [receiptRow, fateRow].map((of) => ({ of, isList: true }))

const fateRecord = ({ thing: { kind, id, name }, entries, left }: Fate): AnyRecord => ({
  action: left === undefined ? 'remove' : 'leave',
  kind,
  id,
  name,
  entries,
  reason: left ?? null,
})

/** Lists the receipts of the service that the line is for; says how many there are of others. */
const printReceipts = async (cli: Cli): Promise<void> => {
  const all = listReceipts(receiptsFolder(cli.io))
  const own = all.filter(({ head }) => head.service === serviceOf(cli))
  await cli.printMany(
    receiptRow.shown,
    own.map(({ name, head, things }) => ({
      receipt: name,
      created_at: head.at.slice(0, 19),
      file: head.file,
      things: things.length,
      service: head.service,
    })),
  )
  if (own.length === 0) await tellEmpty(cli, receiptRow)
  const others = all.length - own.length
  if (others > 0) await cli.note(`${countOf(others, 'receipt')} of other services; --profile or --data-dir names one`)
}

/** Returns the receipt with a name or path; throws if there is none, or it is of another service. */
const findReceipt = (cli: Cli, asked: string): Receipt => {
  const folder = receiptsFolder(cli.io)
  const path = [join(folder, `${asked}.created.jsonl`), resolve(cli.io.cwd, asked)].find((one) => existsSync(one))
  if (path === undefined) {
    const names = listReceipts(folder).map(({ name }) => name)
    const near = nearest(asked, names)
    const others = near === undefined ? 'kpi entries undo lists them' : `did you mean ${near}?`
    throw new UsageError(`there is no receipt "${asked}"; ${others}`)
  }
  const receipt = readReceipt(path)
  const service = serviceOf(cli)
  if (receipt.head.service === service) return receipt
  throw new KpiError(
    'malformed',
    `the receipt is of ${receipt.head.service}, and this is ${service}; use the profile or data directory of that one`,
  )
}

/** Returns what the clients need: breakdown items are only shown by the newer interface. */
const needsOf = ({ things, unsure }: Receipt): Capability[] => [
  { of: kpi, verb: 'remove' },
  ...([...things, ...unsure].some(({ kind }) => kind === 'item')
    ? [{ of: breakdownItem, verb: 'remove' } as const]
    : []),
]

const summaryOf = (fates: readonly Fate[]): string => {
  const removed = fates.filter(({ left }) => left === undefined)
  const hasEntries = removed.some(({ entries }) => entries > 0)
  return `${countOf(removed.length, 'thing')}${hasEntries ? ' and the entries of them' : ''}`
}

/** Prints what would become of things; a receipt of which all is gone is removed. */
const printFates = async (cli: Cli, receipt: Receipt, fates: readonly Fate[]): Promise<void> => {
  await cli.printMany(fateRow.shown, fates.map(fateRecord))
  if (fates.every(({ left }) => left === GONE)) removeReceipt(receipt)
}

/** Asks for a yes, unless the flags give it. */
const confirm = async (cli: Cli, fates: readonly Fate[], { yes }: UndoFlags): Promise<void> => {
  if (yes === true) return
  const what = summaryOf(fates)
  if (!cli.canAsk) {
    throw new UsageError(`removing ${what} needs --yes where nobody can be asked; --dry-run shows what they are`)
  }
  await askForYes(cli, `remove ${what}`)
}

/** Shows what would be removed, asks, and removes it; returns 3 if something was left alone. */
const undo = async (cli: Cli, clients: Clients, receipt: Receipt, flags: UndoFlags): Promise<number> => {
  const withEntries = flags.withEntries === true
  const fates = await judgeThings(clients, { ...receipt, withEntries })
  const isNothing = fates.every(({ left }) => left !== undefined)
  if (flags.dryRun === true || isNothing) {
    await printFates(cli, receipt, fates)
    await cli.note(isNothing ? 'nothing was removed' : `dry run, nothing was removed: ${summaryOf(fates)} to remove`)
    return flags.dryRun === true || fates.every(({ left }) => left === GONE) ? EXIT.done : EXIT.partial
  }
  await confirm(cli, fates, flags)
  const done: Fate[] = []
  for await (const fate of takeBack(clients, fates, withEntries)) done.push(fate)
  await cli.printMany(fateRow.shown, done.map(fateRecord))
  await cli.note('values that the import changed in what was there before stay as they are')
  const isWhole = done.every(({ left }) => left === undefined || left === GONE)
  if (isWhole) removeReceipt(receipt)
  return isWhole ? EXIT.done : EXIT.partial
}

/** Runs `kpi entries undo`: lists the receipts, or takes back what the import of one created. */
export const runUndo = async (cli: Cli, asked: string | undefined, flags: UndoFlags): Promise<number | void> => {
  if (asked === undefined) return printReceipts(cli)
  const receipt = findReceipt(cli, asked)
  const work = (client: Client): Promise<number> =>
    withClassic(cli, client, (classic) => undo(cli, { client, classic }, receipt, flags))
  return cli.withClient(needsOf(receipt), work, PACED)
}
