import { expect } from 'vitest'
import type { Variant } from '../../../src/domain/variants.ts'
import type { Database } from '../databases.ts'
import { ask, type Asker, type Told } from './ask.ts'
import { CONTROLLERS } from './controllers.ts'
import { expectAfter, expectTold } from './expect.ts'
import { isClassicOnly } from './line.ts'
import { openPlaces } from './places.ts'
import type { Format, Question, Row } from './row.ts'

/** The suite on one database. */
export type Suite = {
  /** Asks what a row asks, in a format, and holds what is told, then and afterwards, against the row. */
  readonly run: (row: Row, format: Format) => Promise<Told>
  /** What is in the account that was only read, and asked for what it refuses; and what is in a fresh one. */
  readonly contents: () => Promise<{ readonly used: readonly string[]; readonly fresh: readonly string[] }>
  /** How many rows have been asked. */
  readonly asked: () => number
} & AsyncDisposable

/** Whether a row may leave an account other than it was; it gets one of its own then. */
const mayChange = ({ ask: line, status, before, from }: Row): boolean =>
  from === undefined && (before !== undefined || (status < 300 && /^(?:POST|PUT|DELETE) /.test(line)))

const everythingOf = async (asker: Asker): Promise<string[]> => {
  const texts: string[] = []
  for (const { list } of CONTROLLERS) {
    const { text } = await ask(asker, { ask: `GET ${list}?dateFrom=2000-01-01` }, 'json')
    texts.push(text.replace(asker.service.login, 'boss'))
  }
  return texts
}

/** Asks before and after a row what only the classic interface has of that. */
const askBeside = (asker: Asker, question: Question, format: Format, variant: Variant): Promise<Told> =>
  ask(asker, question, format, isClassicOnly(question) ? 'classic' : variant)

/** Starts the suite on a database of a kind, for a variant; the newer one is asked in JSON and answers in it. */
export const startSuite = async (make: () => Promise<Database>, variant: Variant = 'classic'): Promise<Suite> => {
  const places = await openPlaces(make)
  let asked = 0
  const run = async (row: Row, format: Format): Promise<Told> => {
    const asker = mayChange(row) ? await places.fresh() : places[row.from ?? 'usual']
    const plain = variant === 'v1' ? 'json' : format
    for (const question of row.before ?? []) {
      expect((await askBeside(asker, question, plain, variant)).status).toBeLessThan(500)
    }
    const told = await ask(asker, row, format, variant)
    asked += 1
    expectTold(told, row, plain)
    if (row.after) {
      const [path, expected] = row.after
      expectAfter(await askBeside(asker, { ask: `GET ${path}` }, plain, variant), expected, plain)
    }
    return told
  }
  return {
    run,
    contents: async () => ({
      used: await everythingOf(places.usual),
      fresh: await everythingOf(await places.fresh()),
    }),
    asked: () => asked,
    [Symbol.asyncDispose]: places[Symbol.asyncDispose],
  }
}
