import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Account } from '../../domain/resources/account.ts'
import type { Scope } from '../../domain/scopes.ts'

/** Who was let in. */
export type Admitted = {
  readonly account: Account
  /** The user in whose name things are done. */
  readonly user: string
  /** The key that was shown; 0 for the token of the account. */
  readonly key: number
  /** What it may do; everything where it is not given. */
  readonly scopes?: ReadonlySet<Scope>
  /** When it ends, where it does. */
  readonly until?: Instant | undefined
  /** What hashes of bodies are made with, so that they cannot be tried without it. */
  readonly pepper: string
  /** What answers tell of the credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Takes note that they were used; undefined where that is noted already. */
  readonly noteUse?: (now: Instant) => Promise<void> | undefined
}

/** Refuses what the credentials do not allow, and names the scope that it takes. */
export const mustMay = ({ scopes }: Admitted, scope: Scope | undefined): void => {
  if (scope === undefined || !scopes || scopes.has(scope)) return
  throw new KpiError('forbidden', `the key does not have the scope ${scope}, which this needs`)
}
