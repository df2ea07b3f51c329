import { post } from './questions.ts'
import type { Question, Row } from './row.ts'
import { IDS } from './ids.ts'

const keyed = (question: Question, key = 'key-1'): Question => ({ ...question, headers: { 'idempotency-key': key } })
const GROUP = post('/groups', 'Group', { name: 'Once' })

/** Decisions, section 5: a POST that is sent again. */
export const repeatRows: readonly Row[] = [
  {
    ...keyed(GROUP),
    what: 'is done once for a key',
    before: [keyed(GROUP)],
    status: 201,
    of: 'Group',
    tells: { id: IDS.NEW_GROUP },
    sends: { location: `/api/groups/${IDS.NEW_GROUP}`, 'idempotent-replayed': 'true' },
    after: [`/groups/${IDS.NEW_GROUP + 1}`, 404],
  },
  {
    ...keyed(GROUP, 'key-2'),
    what: 'is done again for another key',
    before: [keyed(GROUP)],
    status: 201,
    of: 'Group',
    tells: { id: IDS.NEW_GROUP + 1 },
    sends: { 'idempotent-replayed': undefined },
  },
  {
    ...keyed(post('/groups', 'Group', { name: 'Other' })),
    what: 'refuses a key for another body',
    before: [keyed(GROUP)],
    status: 400,
  },
  {
    ...keyed(post('/groups', 'Group', {})),
    what: 'tells the same faults again',
    before: [keyed(post('/groups', 'Group', {}))],
    status: 400,
    faults: ['name'],
    sends: { 'idempotent-replayed': 'true' },
  },
  { ...keyed(GROUP, 'k'.repeat(256)), what: 'refuses a key that is too long', status: 400 },
]
