import type { TextAnswer } from '../../../src/client/http/response.ts'
import { type FaultyAccount, type Kept, type Number4, showNumber4 } from './account.ts'
import type { Fault } from './entries.ts'
import type { Kind } from './kinds.ts'

type Headers = Readonly<Record<string, string>>

/** An answer with its headers as they are, for whoever sends it on. */
export type Answer = TextAnswer & { readonly headers: Headers }

/** An answer of some text. */
export const answerOf = (status: number, body: string, headers: Headers = {}): Answer => ({
  status,
  body,
  headers,
  header: (name) => headers[name],
})

/** An answer of JSON. */
export const jsonAnswer = (status: number, body: unknown, headers: Headers = {}): Answer =>
  answerOf(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers })

/** The same answer with more headers. */
export const withHeaders = ({ status, body, headers }: Answer, more: Headers): Answer =>
  answerOf(status, body, { ...headers, ...more })

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
}

/** A refusal as the variant of a service tells it. */
export const refuse = ({ variant }: Kind, status: number, message: string, faults: readonly Fault[] = []): Answer => {
  if (variant === 'classic')
    return jsonAnswer(status, { status, message, ...(faults.length > 0 && { errors: faults }) })
  const errors = faults.map(({ index, field, message: detail }) => ({
    pointer: index === undefined ? `#/${field}` : `#/entries/${index}/${field}`,
    detail,
  }))
  const problem = { type: 'about:blank', title: TITLES[status] ?? 'Refused', status, detail: message }
  return jsonAnswer(
    status,
    { ...problem, ...(errors.length > 0 && { errors }) },
    { 'content-type': 'application/problem+json' },
  )
}

const number = (value: Number4 | null): unknown => (value === null ? null : JSON.rawJSON(showNumber4(value)))

const MADE = { created_at: '2026-01-01T00:00:00', updated_at: '2026-01-01T00:00:00' }

/** An entry as it is shown; a target is hidden where the KPI has none. */
export const shownEntry = ({ variant }: Kind, { kpis }: FaultyAccount, entry: Kept): unknown => ({
  id: entry.id,
  user_id: entry.user,
  ...(variant === 'v1' && { source_id: entry.user }),
  kpi_id: entry.kpi,
  entry_date: entry.date,
  actual: number(entry.actual),
  target: kpis.find(({ id }) => id === entry.kpi)?.target === null ? null : number(entry.target),
  notes: entry.notes,
  ...MADE,
  ...(entry.createdAt !== undefined && { created_at: new Date(entry.createdAt).toISOString().slice(0, 19) }),
})

/** A KPI as it is shown. */
export const shownKpi = ({ id, name, target, isActive }: FaultyAccount['kpis'][number]): unknown => ({
  id,
  name,
  category_id: 1,
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  target_default: number(target),
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: id,
  is_active: isActive,
  is_calculated: false,
  ...MADE,
})

/** A user as they are shown. */
export const shownUser = ({ id, name, isLocked }: FaultyAccount['users'][number]): unknown => ({
  id,
  user_type: 'User',
  user_status_id: isLocked ? 'L' : 'A',
  first_name: name,
  last_name: null,
  email: `${name.toLowerCase()}@example.com`,
  ...MADE,
})
