import { post } from './questions.ts'
import type { Question, Row } from './row.ts'
import { IDS } from './ids.ts'

const keyed = (question: Question, key = 'key-1'): Question => ({ ...question, headers: { 'idempotency-key': key } })
const CATEGORY = post('/kpicategories', 'KPICategory', { name: 'Once' })

/** A POST that is sent again. */
export const repeatRows: readonly Row[] = [
  {
    ...keyed(CATEGORY),
    what: 'is done once for a key',
    before: [keyed(CATEGORY)],
    status: 201,
    of: 'KPICategory',
    tells: { id: IDS.NEW_CATEGORY },
    sends: { location: `/api/kpicategories/${IDS.NEW_CATEGORY}`, 'idempotent-replayed': 'true' },
    after: [`/kpicategories/${IDS.NEW_CATEGORY + 1}`, 404],
  },
  {
    ...keyed(CATEGORY, 'key-2'),
    what: 'is done again for another key',
    before: [keyed(CATEGORY)],
    status: 201,
    of: 'KPICategory',
    tells: { id: IDS.NEW_CATEGORY + 1 },
    sends: { 'idempotent-replayed': undefined },
  },
  {
    ...keyed(post('/kpicategories', 'KPICategory', { name: 'Other' })),
    what: 'refuses a key for another body',
    before: [keyed(CATEGORY)],
    status: 400,
  },
  {
    ...keyed(post('/kpicategories', 'KPICategory', {})),
    what: 'tells the same faults again',
    before: [keyed(post('/kpicategories', 'KPICategory', {}))],
    status: 400,
    faults: ['name'],
    sends: { 'idempotent-replayed': 'true' },
  },
  { ...keyed(CATEGORY, 'k'.repeat(256)), what: 'refuses a key that is too long', status: 400 },
]
