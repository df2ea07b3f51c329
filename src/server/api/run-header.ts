import { KpiError } from '../../domain/errors.ts'
import { RUN_HEADER, RUN_ID } from '../../domain/resources/entry-run.ts'
import type { WireRequest } from '../wire.ts'

/** Returns the run that a request is of; undefined without one. */
export const runOf = ({ headers }: Pick<WireRequest, 'headers'>): string | undefined => {
  const run = headers[RUN_HEADER.toLowerCase()]
  if (run === undefined || RUN_ID.test(run)) return run
  throw new KpiError('malformed', `${RUN_HEADER} must have 1 to 64 letters, digits, hyphens or underscores`)
}
