import { userGroupItem } from '../../../domain/resources/groups.ts'
import { type AnyRecord, printable } from '../../../domain/schema.ts'
import { asGroupRole, GROUP_ROLES } from '../../../reading/group-items/columns.ts'
import {
  checkGroupItems,
  type CheckedGroupItems,
  GROUP_ITEM_ROLES,
  type GroupItemOptions,
  tellGroupItems,
} from '../../../reading/group-items/check.ts'
import type { Cli } from '../../cli.ts'
import type { ExitCode } from '../../exit.ts'
import { PLANNED } from '../../output/plan.ts'
import type { Printed } from '../../output/printed.ts'
import { summary } from '../../output/summary.ts'
import { runRowsImport } from '../changes/import-rows.ts'
import type { JudgedRow } from '../changes/send-rows.ts'
import { columnsByRole, numbersAsOf } from '../entries/import/options.ts'
import { parseOptions } from '../entries/import/parsed-options.ts'
import { nameRecords } from '../verbs/list-options.ts'
import type { GroupItemFlags } from './group-items-import.ts'

/** Defines the summary of an import of group items, as it is printed. */
const groupItemsSummary = summary(
  'group_items_summary',
  'summary of an import of group items of users, or of its dry run',
  'Group items of users',
  ['read', 'added', 'unchanged', 'rejected', 'empty', 'left'],
)

/** Defines a row of a dry run of group items. */
const groupItemsDryRunRow = printable('group_items_dry_run_row', 'row of a dry run of group items of users', {
  line: PLANNED.line,
  action: { kind: 'text', about: 'add, unchanged or reject' },
  user_id: { kind: 'integer', about: 'User', nullable: true, refers: 'user' },
  group_name: { kind: 'text', about: 'Name of the group', nullable: true },
  name: { kind: 'text', about: 'Name of the group item', nullable: true },
  reason: PLANNED.reason,
})

/** Lists what `kpi assign group-items import` may print. */
export const groupItemsPrints: readonly Printed[] = [
  { of: groupItemsSummary, isList: false },
  { of: groupItemsDryRunRow, isList: true },
]

/** Returns a row of a dry run as a record. */
const dryRunRecord = ({ lineOf }: CheckedGroupItems, judged: JudgedRow): AnyRecord => {
  if (!('desired' in judged)) return { line: judged.line, action: judged.action, reason: judged.reason }
  const { action, desired, record } = judged
  const { user, group_item: item } = record?.above ?? {}
  return {
    line: lineOf(desired.line),
    action: action === 'create' ? 'add' : action,
    user_id: user?.id ?? null,
    group_name: item?.above['group']?.name ?? null,
    name: item?.name ?? null,
    reason: null,
  }
}

/** Returns what the flags say of the columns and their cells. */
const optionsOf = (
  { map, byId, byName, user, createMissing }: GroupItemFlags,
  {
    ignore,
    ignoreRows,
    maxErrors,
    addAgain,
  }: Pick<GroupItemOptions, 'ignore' | 'ignoreRows' | 'maxErrors' | 'addAgain'>,
): GroupItemOptions => ({
  ignore,
  ignoreRows,
  maxErrors,
  addAgain,
  user,
  createMissing: createMissing === true,
  map: columnsByRole<string>(map, GROUP_ITEM_ROLES, asGroupRole, GROUP_ROLES),
  numbersAs: numbersAsOf<string>({ ...(byId && { byId }), ...(byName && { byName }) }, ['user'], GROUP_ITEM_ROLES),
})

/** Runs `kpi assign group-items import`: reads, checks and sends a file, or only says what that would do. */
export const runGroupItemsImport = (cli: Cli, file: string, flags: GroupItemFlags): Promise<ExitCode | void> => {
  const { map: _map, byId: _byId, byName: _byName, user: _user, createMissing: _createMissing, ids, ...shared } = flags
  const parsed = parseOptions(cli, [file], shared)
  const options = optionsOf(flags, parsed.options)
  return runRowsImport<CheckedGroupItems>(cli, file, {
    command: 'assign group-items import',
    needs: [{ of: userGroupItem, verb: 'add' }],
    words: ['group item of users', 'group items of users'],
    parsed,
    flags: {},
    options,
    hasOwnFlags: options.map.size > 0 || options.user !== undefined || options.createMissing,
    withAccount: (client, work) => work({ client }),
    read: (reading) => checkGroupItems(reading, options),
    tellPlan: (reading, { snapshot }, plan, isContinued) =>
      isContinued ? Promise.resolve() : tellGroupItems(reading, snapshot, plan),
    printed: {
      summary: groupItemsSummary,
      countsOf: ({ created, unchanged }) => ({ added: created, unchanged }),
      dryRunRow: groupItemsDryRunRow,
      recordOf: dryRunRecord,
      withNames: (client, rows) =>
        nameRecords(client, groupItemsDryRunRow, rows, ids ? { ids: true } : {}, cli.printing()),
      adviceOn: () => [],
    },
  })
}
