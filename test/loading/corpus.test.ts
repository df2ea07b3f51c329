import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CorpusAccount,
  type CorpusCase,
  corpusCases,
  type CorpusOutcome,
  inTextOrder,
  openCorpusAccount,
} from '../support/corpus.ts'

const [DONE, STOPPED, PARTIAL] = [0, 1, 3]

/** Nothing is stored, and what is said names all that has to be told. */
const stopped = ({ said }: CorpusOutcome, { stop = [] }: CorpusCase): object => {
  const unsaid = stop.filter((part) => !said.includes(part))
  return { code: STOPPED, rows: [], rejects: {}, said: unsaid.length === 0 ? said : `something with ${unsaid.join()}` }
}

/** What is stored is what a person reads; what is not is rejected, with a reason that names it. */
const loaded = ({ rows = [], rejects }: CorpusCase): object => ({
  code: Object.keys(rejects).length > 0 ? PARTIAL : DONE,
  rows: inTextOrder(rows),
  rejects: Object.fromEntries(Object.entries(rejects).map(([line, part]) => [line, expect.stringContaining(part)])),
  said: expect.any(String),
})

describe('of the files that spreadsheets write, none is misread:', () => {
  let account: CorpusAccount
  beforeAll(async () => {
    account = await openCorpusAccount()
  })
  afterAll(() => account[Symbol.dispose]())

  test.each(corpusCases)('$path: $about', async (one) => {
    const outcome = await account.load(one)
    const mayBeStopped = one.stop !== undefined && outcome.code === STOPPED
    expect(outcome).toEqual(one.rows === undefined || mayBeStopped ? stopped(outcome, one) : loaded(one))
  })

  test('and there are enough of them', () => {
    expect(corpusCases.length).toBeGreaterThanOrEqual(60)
    expect(new Set(corpusCases.map(({ path }) => path.split('/')[0])).size).toBeGreaterThanOrEqual(8)
  })
})
