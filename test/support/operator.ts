import { onTestFinished } from 'vitest'
import type { Database } from './databases.ts'
import { NOW } from './io.ts'
import { type Ran, shellIn } from './kpi.ts'

/** The operator of an account `acme` on a database of a test's own, at a moment that the test moves. */
export type Operator = {
  /** Runs `kpi service …` on that account. */
  readonly service: (...args: string[]) => Promise<Ran>
  readonly clock: { now: number }
  readonly database: Database
}

/** Opens a service with an account whose first user is Eve Adams, boss@acme.example.com. */
export const openOperator = async (make: () => Promise<Database>): Promise<Operator> => {
  const database = await make()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const clock = { now: NOW }
  const service = (...args: string[]): Promise<Ran> => {
    const kpi = shellIn({ home: database.dataDir, env: database.env, now: clock.now })
    return kpi('service', ...args, ...database.flags)
  }
  const eve = ['--login', 'boss@acme.example.com', '--first-name', 'Eve', '--last-name', 'Adams']
  await service('accounts', 'create', 'acme', ...eve)
  return { service: (...args) => service(...args, '--account', 'acme'), clock, database }
}
