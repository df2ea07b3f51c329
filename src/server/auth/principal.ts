import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Account } from '../../domain/resources/account.ts'
import type { Scope } from '../../domain/scopes.ts'

/** Describes the authenticated caller. */
export type Principal = {
  readonly account: Account
  /** Names the user in whose name things are done. */
  readonly user: string
  /** Holds the id of the key; 0 for the token of the account. */
  readonly key: number
  /** Lists the scopes; undefined for everything. */
  readonly scopes?: ReadonlySet<Scope>
  /** Says when the key expires, where it does. */
  readonly until?: Instant | undefined
  /** Seasons the hashes of bodies, so that they cannot be tried without it. */
  readonly pepper: string
  /** Lists the headers of answers that tell of the credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Takes note that they were used; undefined where that is noted already. */
  readonly noteKeyUse?: (now: Instant) => Promise<void> | undefined
}

/** Refuses what the credentials do not allow, and names the scope that it takes. */
export const requireScope = ({ scopes }: Principal, scope: Scope | undefined): void => {
  if (scope === undefined || !scopes || scopes.has(scope)) return
  throw new KpiError('forbidden', `the key does not have the scope ${scope}, which this needs`, { missingScope: scope })
}
