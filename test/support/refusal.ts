import { KpiError } from '../../src/domain/errors.ts'

/** What a client is told of why something is refused. */
export type Refusal = Pick<KpiError, 'code' | 'message' | 'issues'>

/** The refusal that a promise ends with; fails where it ends well. */
export const refusal = async (promise: Promise<unknown>): Promise<Refusal> => {
  try {
    await promise
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    const { code, message, issues } = error
    return { code, message, issues: [...issues] }
  }
  throw new Error('a refusal was expected')
}
