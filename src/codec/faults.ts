import { type Issue, KpiError } from '../domain/errors.ts'

/** The faults that something was refused for, as text. */
export const faultsToText = ({ message, issues }: KpiError): string => JSON.stringify({ message, issues })

/** The same refusal again, read from that text. */
export const faultsFromText = (text: string): KpiError => {
  const { message, issues } = JSON.parse(text) as { readonly message: string; readonly issues: readonly Issue[] }
  return new KpiError('invalid', message, { issues })
}
