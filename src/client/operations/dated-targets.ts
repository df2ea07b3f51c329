import { KpiError } from '../../domain/errors.ts'

/** Refuses targets that begin on a day on a service without them; `what` names what asks for them. */
export const requireDatedTargets = (isDating: boolean, what: string): void => {
  if (isDating) return
  throw new KpiError(
    'unsupported',
    `${what}: this service has one target for all days, and none that begin on a day; change the target on its first day, with --keep-history, or import the targets with the entries (kpi entries import)`,
  )
}
