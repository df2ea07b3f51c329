import type { Client } from '../../client/client.ts'
import { readIfAllowed } from '../../client/read-if-allowed.ts'
import type { Form } from '../../load/export/form.ts'
import { readHeadings, readLabels } from '../../load/export/labels.ts'
import { longSheet } from '../../load/export/long.ts'
import type { Sheet } from '../../load/export/sheet.ts'
import type { Selection } from '../../load/export/days.ts'
import { type Columns, sheetByKpi, sheetByUser } from '../../load/export/wide.ts'

/** How the file is to look. */
export type Look = { readonly form: Form; readonly isWide: boolean; readonly hasNames: boolean }

/** Whether entries may belong to what is no person. Where the key may not read that, they may. */
const mayHaveSources = async (client: Client, { users }: Selection): Promise<boolean> => {
  if (client.variant === 'classic' || users !== undefined) return false
  const items = await readIfAllowed(client, client.breakdownItems.list())
  return items === undefined || items.some(({ user_id }) => user_id === null)
}

const kpiColumns = async (client: Client, { kpis }: Selection): Promise<Columns> => ({
  ids: kpis ?? (await client.kpis.list()).filter((one) => !one.is_calculated).map(({ id }) => id),
  heading: await readHeadings(client, 'kpi'),
})

const userColumns = async (client: Client, { users }: Selection): Promise<Columns> => ({
  ids: users ?? (await client.users.list()).map(({ id }) => id),
  heading: await readHeadings(client, 'user'),
})

/** The columns of the file that was asked for. A wide one of a single KPI has a column for each user, others one a KPI. */
export const sheetFor = async (client: Client, selection: Selection, look: Look): Promise<Sheet> => {
  const { form, isWide, hasNames } = look
  const hasSources = await mayHaveSources(client, selection)
  const labels = await readLabels(client, hasSources, hasNames)
  if (!isWide) return longSheet(form, labels, hasSources)
  return selection.kpis?.length === 1 && selection.sources === undefined
    ? sheetByUser(form, labels, await userColumns(client, selection))
    : sheetByKpi(form, labels, hasSources, await kpiColumns(client, selection))
}
