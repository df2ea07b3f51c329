import { type Capability, NEWER_PROFILE } from '../../client/capabilities.ts'
import type { Client } from '../../client/client.ts'
import { createDirectory } from '../../client/directory.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { Fault, KpiError } from '../../domain/errors.ts'
import { type BreakdownItem, breakdownItem } from '../../domain/resources/breakdowns.ts'
import type { ParsedFlags } from '../args/flags.ts'
import { isId } from '../args/names.ts'
import type { Cli } from '../cli.ts'
import { shellWord } from '../output/text.ts'
import { type GlobalFlags, placeFlags } from './settings.ts'

/** Returns the flags that send an advised command to the same place. */
export const targetFlags = (flags: GlobalFlags): string =>
  placeFlags(flags)
    .map((word) => ` ${shellWord(word)}`)
    .join('')

/** Lists what `--source` needs: values of breakdown items. */
export const NEEDS_BREAKDOWN_ITEMS: Capability = {
  of: breakdownItem,
  verb: 'list',
  flag: { name: '--source', instead: `use --user, as values belong to users there, or ${NEWER_PROFILE}` },
}

/** Describes a named breakdown item; only its id is known where the key may not read items. */
type NamedItem = Pick<BreakdownItem, 'id'> & Partial<BreakdownItem>

const itemOfId = async (client: Client, id: number): Promise<NamedItem> =>
  (await readIfAllowed(client, client.breakdownItems.get(id))) ?? { id }

/** Returns the breakdown item that a text names, by id or name, or its fault. */
const findSource = async (client: Client, text: string): Promise<NamedItem | Fault> => {
  if (isId(text)) return itemOfId(client, Number(text))
  const items = (await client.breakdownItems.list()).map((item) => ({
    ...item,
    within: `breakdown ${item.breakdown_id}`,
  }))
  return createDirectory(breakdownItem.title, items).find(text)
}

/** Describes the flag that names a breakdown item. */
export type SourceFlag = { readonly source?: string }

/** Returns the breakdown item of `--source`, where it is given; a fault joins the others. */
export const readSource = async (
  client: Client,
  { source }: SourceFlag,
  { faults }: ParsedFlags,
): Promise<NamedItem | undefined> => {
  if (source === undefined) return undefined
  const found = await findSource(client, source)
  if (!(found instanceof Fault)) return found
  faults.push(`--source: ${found.message}`)
  return undefined
}

/** Refuses a new entry of an item that is archived before it is sent. */
export const requireEntrySource = ({ flags }: Cli, { id, name, user_id, is_archived }: NamedItem): void => {
  if (!is_archived) return
  const advice =
    user_id === null
      ? `unarchive it: kpi breakdown-items update ${id} --archived false${targetFlags(flags)}`
      : `its user is locked; people are changed in the application`
  throw new KpiError(
    'invalid',
    `${breakdownItem.title} ${id} (${name}) is archived and takes no new entries; ${advice}`,
  )
}
