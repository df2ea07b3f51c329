import { Fault, KpiError } from '../../domain/errors.ts'
import type { Plan } from './columns.ts'
import type { Role } from '../options.ts'

/** Says that a row gives nothing where there is a column for it. */
export class EmptyCell extends Fault {}

/** Reads a name or date from its column, or takes the constant that stands for it. */
export const cellReader = <T>(
  plan: Plan,
  role: Role,
  constant: string | undefined,
  read: (text: string) => T | Fault,
): ((cells: readonly string[]) => T | Fault) => {
  if (constant !== undefined) {
    const value = read(constant)
    if (value instanceof Fault) throw new KpiError('malformed', `--${role}: ${value.message}`)
    return () => value
  }
  const at = plan.roles.get(role) ?? -1
  return (cells) => {
    const text = cells[at] ?? ''
    return text.trim() === '' ? new EmptyCell(`the ${role} is empty`) : read(text)
  }
}
