import { BATCH_LIMIT } from '../../../domain/resources/entry.ts'
import { RUN_LIMIT } from '../../../domain/resources/entry-run.ts'
import { resources } from '../../../domain/resources/index.ts'
import { categoryKpi } from '../../../domain/resources/kpi.ts'
import type { Resource } from '../../../domain/schema.ts'
import type { Route } from '../call.ts'
import { controllerOf } from './controllers.ts'

/** Names what an operation does to a resource. */
export type OperationVerb = 'list' | 'get' | 'add' | 'addMany' | 'undo' | 'removeMany' | 'carry' | 'update' | 'remove'

const ORDERS: Readonly<Record<string, OperationVerb>> = { undo: 'undo', delete: 'removeMany', groupitem: 'carry' }

/** Returns the verb of a route. A POST whose body and answer are the same resource adds one; any other adds many. */
export const verbOf = ({ method, path, takes, gives }: Route): OperationVerb => {
  if (method === 'GET') return path.endsWith('}') ? 'get' : 'list'
  const [, order] = /\/(undo|delete|groupitem)$/.exec(path) ?? []
  if (order !== undefined) return ORDERS[order] ?? 'add'
  if (method === 'POST') return takes === gives ? 'add' : 'addMany'
  return method === 'PUT' ? 'update' : 'remove'
}

/** Returns the resource that the operations at a path are about. */
export const resourceAt = (path: string): Resource => {
  const ofAll = path.replace(/\/(?:\{(?:id|key)\}|list)$/, '')
  const found = [...resources, categoryKpi].find((of) => of.path === ofAll)
  if (!found) throw new Error(`${path} belongs to no resource`)
  return found
}

/** Returns the name of an operation, as generated clients call it. */
export const operationId = (verb: OperationVerb, path: string): string => {
  const { one, many } = controllerOf(path)
  if (verb === 'list') return `list${many}`
  if (verb === 'carry') return 'putGroupItemOntoEntries'
  if (verb === 'removeMany') return `remove${many}`
  return verb === 'addMany' ? `add${many}` : `${verb}${one}`
}

const summaries: Record<OperationVerb, string> = {
  list: 'list',
  get: 'get one',
  add: 'add one',
  addMany: 'add or update many, all or nothing',
  undo: 'take one batch back',
  removeMany: 'delete entries',
  carry: 'put a group item onto entries, or take it off',
  update: 'change one; what is not sent stays as it is',
  remove: 'delete one',
}

/** Returns the title of an operation. */
export const summaryOf = (verb: OperationVerb, path: string): string => `${controllerOf(path).name}: ${summaries[verb]}`

const orderOf = ({ fields }: Resource): string => {
  if ('digest' in fields) return '`entryDate`'
  const order = ['entryDate', 'entry_date', 'sort_order', 'kpi_id'].find((name) => name in fields)
  if (order === 'entryDate') return '`entryDate`, then KPI and item'
  if (order === 'kpi_id') return '`kpi_id`'
  return order === undefined ? '`id`' : `\`${order}\`, then \`id\``
}

const explanations: Record<OperationVerb, (of: Resource) => string> = {
  list: (of) => `Returns a list in the order of ${orderOf(of)}.`,
  get: ({ title }) => `Returns the ${title} with this id.`,
  add: ({ title, fields }) =>
    'entry_date' in fields
      ? 'Creates an entry, or updates the one that the same user or item has for this KPI and day.'
      : `Creates one ${title} and returns it as it is stored.`,
  addMany: () => `Creates or updates up to ${BATCH_LIMIT} entries: all of them, or none where one is refused.`,
  undo: () =>
    `Takes back the last batch of a run, up to ${BATCH_LIMIT} entries: what it created and nothing has written since is removed, what holds what it left gets back what it held, and the rest is left alone and stays kept. With the \`revision\` of the answer as \`before\` the next one takes back the batch before it, until \`batches\` is 0.`,
  removeMany: () =>
    `Deletes the entries of a range of days, or some by their ids, and keeps for the run what they held. \`count\` is how many they are: if there are not so many (409), none is deleted. It deletes up to ${RUN_LIMIT}; while \`left\` is not 0, the same request again goes on. Where an answer was lost, the same request again counts what was done.`,
  carry: () =>
    `Puts a group item onto the entries of users from a day on that do not carry it, or with \`take_off\` takes it off those that do, and keeps for the run which they are. A dry run counts them in \`left\`. It does up to ${RUN_LIMIT}; while \`left\` is not 0, the same request again goes on.`,
  update: ({ title }) =>
    `Changes one ${title}. What is not sent keeps its value; null clears a value that may be null.`,
  remove: ({ title, removal }) => `Deletes one ${title}${removal === undefined ? '' : ` ${removal}`}.`,
}

/** Returns what an operation does, what to know about its answer, and the scope that it needs. */
export const descriptionOf = (verb: OperationVerb, { path, gives, scope }: Route): string =>
  [explanations[verb](resourceAt(path)), gives?.caution, scope && `Needs the scope \`${scope}\`.`]
    .filter((part) => part !== undefined)
    .join('\n\n')
