import type { Question } from './row.ts'

/** The fields that hold numbers or booleans. */
const NO_TEXT: ReadonlySet<string> = new Set(
  [
    ['target_default', 'user_target', 'actual', 'target'],
    ['category_id', 'icon_id', 'unit_id', 'user_id', 'kpi_id', 'source_id', 'breakdown_id', 'sort_order'],
    ['is_active', 'is_percentage', 'is_archived'],
    ['setActual', 'setTarget', 'setNotes', 'addToActual', 'hasActuals', 'hasTargets', 'hasNotes'],
  ].flat(),
)

const stringsIn = (body: object, place: string): string[] =>
  Object.entries(body).flatMap(([name, value]) => {
    if (name === 'entries' && Array.isArray(value)) {
      return value.flatMap((one: unknown, index) => stringsIn(Object(one), `${index}.`))
    }
    return typeof value === 'string' && NO_TEXT.has(name) ? [place + name] : []
  })

/** The fields of numbers and booleans for which a question sends text; in a batch with the index: `0.actual`. */
export const stringsOf = ({ body = {} }: Question): string[] => stringsIn(body, '')
