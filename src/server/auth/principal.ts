import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Account } from '../../domain/resources/account.ts'
import type { Scope } from '../../domain/scopes.ts'

/** Describes the authenticated caller. */
export type Principal = {
  readonly account: Account
  /** Holds the e-mail address by which the user logs in, or to whom the key belongs. */
  readonly user: string
  /** Holds the id of the key; 0 for the token of the account. */
  readonly key: number
  /** Lists the scopes; undefined means all. */
  readonly scopes?: ReadonlySet<Scope>
  /** Holds when the key expires, if it does. */
  readonly until?: Instant | undefined
  /** Keys the hashes of bodies, so that nobody can guess bodies from the hashes alone. */
  readonly pepper: string
  /** Holds the headers of answers that describe the credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Records that the key was used; returns undefined if that is recorded already. */
  readonly noteKeyUse?: (now: Instant) => Promise<void> | undefined
}

/** Refuses an operation whose scope the credentials lack; the error names the scope. */
export const requireScope = ({ scopes }: Principal, scope: Scope | undefined): void => {
  if (scope === undefined || !scopes || scopes.has(scope)) return
  throw new KpiError('forbidden', `the key does not have the scope ${scope}, which this needs`, { missingScope: scope })
}
