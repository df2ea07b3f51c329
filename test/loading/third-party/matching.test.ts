import { expect, test } from 'vitest'
import type { Entry, EntryDraft } from '../../../src/domain/resources/entry.ts'
import {
  areLikeNotes,
  hasKeyOf,
  hasNumbersOf,
  holdsDraft,
  isRounded,
  mayComeFrom,
  mayHold,
} from '../../../src/loading/third-party/matching.ts'

test.each<[stored: bigint | null, sent: bigint | null, isOne: boolean]>([
  [null, null, true],
  [null, 0n, false],
  [0n, null, false],
  [1_2345n, 1_2345n, true],
  [1_2345n, 1_2346n, false],
  [1_2350n, 1_2345n, true],
  [1_2340n, 1_2345n, true],
  [1_2340n, 1_2350n, false],
  [1_2351n, 1_2345n, false],
  [1_0000n, 1_9999n, true],
  [2_0000n, 1_0001n, true],
  [2_0000n, 1_0000n, false],
  [-1_0000n, -1_9999n, true],
  [-2_0000n, -1_0000n, false],
  [16_777_216_0000n, 16_777_217_0000n, true],
  [16_777_218_0000n, 16_777_217_0000n, false],
])('%s may be %s, rounded: %s', (stored, sent, isOne) => {
  expect(isRounded(stored, sent)).toBe(isOne)
})

test.each<[stored: string | null, sent: string | null, isOne: boolean]>([
  [null, null, true],
  [null, '', true],
  [' - ', null, true],
  [null, 'rain', false],
  ['rain', null, false],
  ['rain', 'sun', false],
  ['RAIN &amp; wind', 'rain & amp wind', true],
  ['rain', 'rain and wind', true],
  ['wind', 'rain and wind', false],
  ['(by import) rain and wind.', 'Rain and wind', true],
  ['7', '8', false],
  ['æ', 'ø', false],
])('notes %o may be %o, as services change them: %s', (stored, sent, isOne) => {
  expect(areLikeNotes(stored, sent)).toBe(isOne)
})

const DRAFT: EntryDraft = { user_id: 2, kpi_id: 1, entry_date: 5, actual: 1_5000n, target: 2_5000n, notes: 'rain' }
const STORED = { actual: 1_5000n, target: 2_5000n, notes: 'rain' }
const without = (...names: (keyof EntryDraft)[]): EntryDraft =>
  Object.fromEntries(Object.entries(DRAFT).filter(([name]) => !names.some((one) => one === name))) as EntryDraft

test.each<[stored: Partial<typeof STORED | { target: null; actual: null }>, draft: EntryDraft, as: string]>([
  [{}, DRAFT, 'made changed numbers'],
  [{ actual: 2_0000n }, DRAFT, 'made changed numbers'],
  [{ actual: 7_0000n }, DRAFT, ''],
  [{ target: null }, DRAFT, 'made changed numbers'],
  [{ target: 7_0000n }, DRAFT, ''],
  [{ target: 7_0000n }, without('target'), 'made changed numbers'],
  [{ notes: 'sun' }, DRAFT, 'numbers'],
  [{ notes: 'sun' }, without('notes'), 'changed numbers'],
  [{}, without('actual'), 'changed numbers'],
  [{ actual: null }, without('actual'), 'made changed numbers'],
])('an entry as stored, but %o, may be from %o: %s', (fields, draft, as) => {
  const stored = { ...STORED, ...fields }
  const found = [
    mayComeFrom(stored, draft) ? 'made' : [],
    mayHold(stored, draft) ? 'changed' : [],
    hasNumbersOf(stored, draft) ? 'numbers' : [],
  ]
  expect(found.flat().join(' ')).toBe(as)
})

test.each<[entry: Partial<Entry>, draft: Partial<EntryDraft>, isOne: boolean]>([
  [{}, {}, true],
  [{ user_id: 3 }, {}, false],
  [{ kpi_id: 3 }, {}, false],
  [{ entry_date: 6 }, {}, false],
  [{ user_id: null, source_id: 2 }, {}, false],
  [{ user_id: null, source_id: 7 }, { user_id: null, source_id: 7 }, true],
  [{ source_id: 7 }, { user_id: null, source_id: 7 }, true],
  [{ source_id: 8 }, { user_id: null, source_id: 7 }, false],
])('an entry %o has the key of %o: %s', (entry, fields, isOne) => {
  const draft = { ...DRAFT, ...fields } as EntryDraft
  expect(hasKeyOf({ id: 9, user_id: 2, source_id: null, kpi_id: 1, entry_date: 5, ...entry } as Entry, draft)).toBe(
    isOne,
  )
})

test('an entry holds a draft whose target its KPI drops, or may drop where the key reads no KPIs', () => {
  const kpis = (target_default: bigint | null | undefined) =>
    ({ byId: new Map(target_default === undefined ? [] : [[1, { target_default }]]) }) as never
  const dropped = { ...STORED, target: null }
  for (const [rule, isHeld] of [
    [null, true],
    [0n, false],
    [undefined, true],
  ] as const) {
    expect([rule, holdsDraft({ kpis: kpis(rule) }, dropped, DRAFT)]).toEqual([rule, isHeld])
    expect(holdsDraft({ kpis: kpis(rule) }, { ...dropped, actual: 9n }, DRAFT)).toBe(false)
  }
  expect(holdsDraft({ kpis: kpis(0n) }, STORED, DRAFT)).toBe(true)
})
