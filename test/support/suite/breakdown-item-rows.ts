import { commonRows } from './common-rows.ts'
import type { Controller } from './controllers.ts'
import { IDS } from './ids.ts'
import { post, put } from './questions.ts'
import type { Question, Row } from './row.ts'

const { ANN, BOB, BOSS, EMPTY, FOREIGN, FOREIGN_ITEM, LOU, NEW_ITEM, NOBODY, NORTH, REGION, SOUTH } = IDS

/** The breakdown of people, which every account has. */
const PEOPLE = 1

/** What all controllers are asked. */
const BREAKDOWN_ITEMS: Controller = {
  name: 'Breakdown Items',
  root: 'BreakdownItem',
  list: '/breakdownitems',
  count: 6,
  id: NORTH,
  shown: { id: NORTH, breakdown_id: REGION, name: 'North', user_id: null, is_archived: false, sort_order: 1 },
  absent: [NOBODY, FOREIGN_ITEM],
  makes: {
    body: { breakdown_id: REGION, name: 'West', sort_order: 9 },
    id: NEW_ITEM,
    shown: { breakdown_id: REGION, name: 'West', user_id: null, is_archived: false, sort_order: 9 },
  },
  changes: { body: { is_archived: true }, shown: { is_archived: true, name: 'North', sort_order: 1 } },
  mandatory: ['breakdown_id', 'name'],
  refuses: [
    ['name', 'n'.repeat(101)],
    ['name', 7],
    ['sort_order', 'last'],
    ['sort_order', -32_769],
    ['is_archived', 'maybe'],
    ['is_archived', 1],
    ['breakdown_id', NOBODY],
    ['breakdown_id', FOREIGN],
  ],
  readOnly: { id: NOBODY, user_id: ANN, created_at: '2001-02-03T04:05:06', updated_at: '2001-02-03T04:05:06' },
  deletes: SOUTH,
}

const items = (query: string, ids: readonly number[]): Row => ({
  ask: `GET /breakdownitems?${query}`,
  what: `lists ${ids.join(', ') || 'none'}`,
  status: 200,
  of: 'ArrayOfBreakdownItem',
  count: ids.length,
  tells: ids.map((id) => ({ id })),
})

const ofPeople = (question: Question): Row => ({
  ...question,
  what: 'is changed in the application, as a person',
  status: 403,
  says: /application/,
  sends: { 'retry-after': undefined },
})

/** What archives a breakdown item. */
export const archive = (id: number): Question => put(`/breakdownitems/${id}`, 'BreakdownItem', { is_archived: true })

/** Breakdown items. */
export const breakdownItemRows: readonly Row[] = [
  ...commonRows(BREAKDOWN_ITEMS),
  items(`breakdown_id=${REGION}`, [NORTH, SOUTH]),
  items(`BREAKDOWN_ID=${PEOPLE}`, [BOSS, ANN, BOB, LOU]),
  items(`breakdown_id=${EMPTY}`, []),
  items(`breakdown_id=${NOBODY}`, []),
  items('archived=true', [LOU]),
  items('archived=false', [BOSS, ANN, BOB, NORTH, SOUTH]),
  items(`archived=false&breakdown_id=${REGION}`, [NORTH, SOUTH]),
  ...['breakdown_id=x', 'archived=perhaps'].map((query): Row => ({
    ask: `GET /breakdownitems?${query}`,
    what: 'cannot be read',
    status: 400,
    says: new RegExp(query.split('=')[0] ?? ''),
  })),
  {
    ask: `GET /breakdownitems/${ANN}`,
    what: 'shows a person',
    status: 200,
    of: 'BreakdownItem',
    tells: { id: ANN, breakdown_id: PEOPLE, name: 'Ann Lee', user_id: ANN, is_archived: false },
  },
  ofPeople(put(`/breakdownitems/${ANN}`, 'BreakdownItem', { name: 'x' })),
  ofPeople(archive(ANN)),
  ofPeople({ ask: `DELETE /breakdownitems/${BOB}` }),
  ofPeople(post('/breakdownitems', 'BreakdownItem', { breakdown_id: PEOPLE, name: 'Zoë' })),
  {
    ask: `DELETE /breakdownitems/${NORTH}`,
    what: 'is kept while entries carry it',
    status: 409,
    says: /archive/,
  },
  {
    ...put(`/breakdownitems/${SOUTH}`, 'BreakdownItem', { is_archived: false }),
    what: 'is taken out of the archive',
    before: [archive(SOUTH)],
    status: 200,
    of: 'BreakdownItem',
    tells: { id: SOUTH, is_archived: false },
  },
  {
    ...put(`/breakdownitems/${NORTH}`, 'BreakdownItem', { name: 'Nord', is_archived: true }),
    what: 'is the group item of the classic interface, which lists it archived, too',
    status: 200,
    of: 'BreakdownItem',
    tells: { name: 'Nord' },
    after: [`/groups/${REGION}/items/${NORTH}`, { id: NORTH, group_id: REGION, name: 'Nord' }],
  },
  {
    ask: `GET /breakdownitems/${NEW_ITEM}`,
    what: 'is made as a group item in the classic interface',
    before: [post(`/groups/${REGION}/items`, 'GroupItem', { name: 'East' })],
    status: 200,
    of: 'BreakdownItem',
    tells: { id: NEW_ITEM, breakdown_id: REGION, name: 'East', user_id: null },
  },
]
