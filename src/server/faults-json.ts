import type { Issue } from '../domain/errors.ts'

/** So many faults are written at once. */
const PART = 200

/** Writes JSON with the faults of a request as its `errors`, where there are any, in parts. */
export const jsonWithErrors = function* (
  head: object,
  issues: readonly Issue[],
  shown: (issue: Issue) => object,
): Generator<string> {
  if (issues.length === 0) return yield JSON.stringify(head)
  yield `${JSON.stringify(head).slice(0, -1)},"errors":[`
  for (let at = 0; at < issues.length; at += PART) {
    const part = JSON.stringify(issues.slice(at, at + PART).map(shown)).slice(1, -1)
    yield at === 0 ? part : `,${part}`
  }
  yield ']}'
}
