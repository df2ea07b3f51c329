import { describe, expect, test } from 'vitest'
import { planChanges } from '../../../src/changes/plan/plan.ts'
import type { KindName } from '../../../src/changes/records/kind-fields.ts'
import { Snapshot } from '../../../src/changes/records/snapshot.ts'
import type { AnyRecord } from '../../../src/domain/schema.ts'
import { desiredOfEntries } from '../../../src/loading/missing/desired-of-plan.ts'
import type { MissingPlan } from '../../../src/reading/missing/plan-missing.ts'

const FIRST = 2 ** 40
const NOTHING = { kpis: [], users: [], items: [], group: undefined, category: 'General', near: [] }
const ICON = { icon: [{ id: 1, name: '' }] }
const OLDER = { id: 3, name: 'sales', sort_order: 4 }

const kpisOf = (names: readonly string[], unit = 'EUR', category = 'Shop'): MissingPlan => ({
  ...NOTHING,
  category,
  kpis: names.map((name, at) => ({
    id: FIRST + at,
    name,
    frequency_id: 'D',
    unit: { kind: 'new', name: unit, display_format: '#.00', is_percentage: false },
    aggregate_function: 'SUM',
    target_default: null,
    evidence: [],
  })),
})

const itemsOf = (group: string): MissingPlan => ({ ...NOTHING, group, items: [{ id: FIRST, name: 'North' }] })

/** What is planned in an account that holds some records: the action, kind and name of each, and what it refers to. */
const plannedIn = async (
  held: Partial<Record<KindName, readonly AnyRecord[]>>,
  plan: MissingPlan,
  isByIdAlone = false,
): Promise<string[]> => {
  const lists = Object.entries({ ...ICON, ...held }) as [KindName, readonly AnyRecord[]][]
  const snapshot = new Snapshot(new Map(lists))
  const desired = desiredOfEntries(snapshot, plan, isByIdAlone)
  const policy = { existing: 'skip', isMeant: () => true, takesName: () => '', isByIdAlone } as const
  const { planned } = await planChanges(snapshot, desired, policy, () => undefined)
  return planned.map(({ action, desired: { kind, values, references }, record, reasons }) =>
    [
      `${action} ${kind.name} ${String(values['name'])}`,
      ...(values['sort_order'] === undefined ? [] : [`at ${String(values['sort_order'])}`]),
      ...(record?.id === undefined ? [] : [`is ${record.id}`]),
      ...['category', 'unit', 'group'].flatMap((name) =>
        references[name] === undefined ? [] : `in ${references[name]}`,
      ),
      ...reasons.map(({ message }) => message),
    ].join(' '),
  )
}

describe('what an import lacks', () => {
  test.each<
    [what: string, held: Partial<Record<KindName, readonly AnyRecord[]>>, plan: MissingPlan, planned: string[]]
  >([
    [
      'is new with all that it refers to, in the order of the file',
      { kpi: [{ id: 1, name: 'Old', sort_order: 7 }], calculated_kpi: [{ id: 2, name: 'Sum', sort_order: 9 }] },
      kpisOf(['B', 'A']),
      [
        'create category Shop',
        'create unit EUR',
        'create kpi B at 10 in Shop in EUR',
        'create kpi A at 11 in Shop in EUR',
      ],
    ],
    [
      'uses the oldest of several that have a name by now, however it is written',
      {
        category: [
          { id: 5, name: 'Shop' },
          { id: 4, name: 'SHOP' },
        ],
        unit: [
          { id: 9, name: 'EUR' },
          { id: 8, name: 'EUR' },
        ],
        kpi: [{ id: 6, name: 'Sales', sort_order: 5 }, OLDER],
      },
      kpisOf(['Sales']),
      ['skip kpi Sales at 6 is 3 in #4 in #8'],
    ],
    [
      'may have a name that looks like an id',
      { category: [{ id: 7, name: 'Other' }] },
      kpisOf(['A'], '#8', '#7'),
      ['create category #7', 'create unit #8', "create kpi A at 1 in '#7 in '#8"],
    ],
    [
      'goes into a new group although its name ends with the id of another one',
      { group: [{ id: 2, name: 'Team' }], group_item: [{ id: 3, group_id: 2, name: 'North', sort_order: 5 }] },
      itemsOf('x2'),
      ['create group x2', 'create group_item North at 1 in x2'],
    ],
    [
      'is used in its group, and comes after others of that group alone',
      {
        group: [
          { id: 2, name: 'Team' },
          { id: 4, name: 'Region' },
        ],
        group_item: [
          { id: 3, group_id: 2, name: 'North', sort_order: 5 },
          { id: 5, group_id: 4, name: 'South', sort_order: 2 },
        ],
      },
      itemsOf('region'),
      ['create group_item North at 3 in #4'],
    ],
  ])('%s', async (_, held, plan, planned) => {
    expect(await plannedIn(held, plan)).toEqual(planned)
  })

  test('goes into a group that has no items yet by its id, where the interface shows ids alone', async () => {
    expect(await plannedIn({}, itemsOf('12'), true)).toEqual(['create group_item North at 1 in #12'])
  })
})
