import { basename } from 'node:path'
import { monthOf } from '../../../../reading/formats/calendar-names.ts'
import type { EarlierKpis } from '../../../../reading/missing/kpi-names.ts'
import { readChanges } from '../../../../runs/entries/receipt-changes.ts'
import { listUndoReceipts, type UndoReceipt } from '../../../../runs/entries/receipt.ts'
import { receiptsFolder } from '../../../target/folders.ts'
import { serviceOf } from '../../../target/service-of.ts'
import type { CommandRun } from './jobs.ts'

/** Sets how many earlier imports of files of one kind are looked at: one may have changed only some entries. */
const MOST_EARLIER = 3
/** Sets how many changes are read at a time. */
const READ_AT_A_TIME = 5000

/** Matches how a file is written or packed, and what a second one of its name gets. */
const WRITTEN_AS = /^(?:csv|tsv|tab|txt|xlsx|xlsm|xls|json|ndjson|jsonl|zip|gz|zst|br|bz2|v|copy|kopie|copie|copia)$/

/**
 * Returns what the names of files have in common that are written every month, or every day: their words, without numbers,
 * months and how they are written or packed.
 */
const fileKind = (file: string): string =>
  (
    basename(file)
      .toLowerCase()
      .match(/\p{L}[\p{L}\p{M}]*/gu) ?? []
  )
    .filter((word) => monthOf(word) === undefined && !WRITTEN_AS.test(word))
    .join(' ')

/** Returns the receipts of other files of the same kind that were imported into this account, the latest first. */
const receiptsOfKind = ({ cli, client, parsed, receipts }: CommandRun, file: string): UndoReceipt[] => {
  const [service, account] = [serviceOf(cli), client.identifyAccount().for]
  return listUndoReceipts(receiptsFolder(cli.io))
    .receipts.filter(
      ({ name, head, takenBack }) =>
        takenBack === undefined &&
        head.service === service &&
        head.account === account &&
        !(receipts.includes(name) && head.file === file) &&
        (fileKind(head.file) === fileKind(file) || (parsed.mapping !== undefined && head.mapping === parsed.mapping)),
    )
    .toReversed()
}

/** Returns the KPIs of which earlier files of the same kind had entries, as their receipts say; undefined if there was none. */
export const findEarlierKpis = async (run: CommandRun, file: string): Promise<EarlierKpis | undefined> => {
  const { parsed } = run
  const earlier = receiptsOfKind(run, file).slice(0, MOST_EARLIER)
  const [latest] = earlier
  if (!latest) return undefined
  const [kpis, owners] = [new Set<number>(), new Set<number>()]
  for (const receipt of earlier) {
    for (const id of receipt.keptOf.kpis) kpis.add(id)
    for (const id of receipt.keptOf.owners) owners.add(id)
    for await (const changes of readChanges(receipt, READ_AT_A_TIME)) {
      for (const { key } of changes) {
        owners.add(key[0])
        kpis.add(key[1])
      }
    }
  }
  const isMapped = parsed.mapping !== undefined && latest.head.mapping === parsed.mapping
  return { file: latest.head.file, isMapped, kpis, owners }
}
