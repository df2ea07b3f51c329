import type { CreationLog } from '../../runs/entries/receipt-writer.ts'
import type { Sending } from '../../changes/send/send.ts'
import { createdKind, isKindName, keyOf, type CreatedRecord } from '../../domain/kinds.ts'
import { fullName } from '../../domain/resources/user.ts'
import type { RecordedChange } from '../../runs/run-record.ts'

/** Describes something that is about to be created, by its name or e-mail address. */
type Intended = Omit<CreatedRecord, 'id'> & { readonly key: string }

/** Returns the name of an assignment, by the id of its KPI. */
type NameOfAssignment = (kpi: number) => string

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const intendedBy = ({ kind, after = {}, parents }: RecordedChange, nameOf: NameOfAssignment): Intended => {
  const created = createdKind({ name: kind })
  if (!created) {
    const { user_id = 0, id = 0 } = parents
    return { kind: 'assignment', key: '', name: nameOf(id), user_id }
  }
  const key = textIn(isKindName(kind) ? after[keyOf(kind)] : undefined) ?? ''
  const [first_name, last_name] = [textIn(after['first_name']) ?? '', textIn(after['last_name'])]
  return { kind: created, key, name: created === 'user' ? fullName({ first_name, last_name }) : key }
}

/** Returns what notes the records that the changes of a plan create in a receipt. */
export const noteCreated = (log: CreationLog, nameOf: NameOfAssignment = () => ''): Sending['run'] => {
  const intended = new Map<number, Intended>()
  const keys = new Map<string, string>()
  let last = 0
  const settle: Sending['run']['settle'] = (id, outcome, noted) => {
    const one = intended.get(id)
    intended.delete(id)
    if (!one) return
    const { key, ...thing } = one
    const recordId = noted?.recordId
    if (outcome === 'done' && recordId !== undefined) {
      keys.set(`${thing.kind} ${recordId}`, key)
      log.add({ ...thing, id: recordId })
    } else if (thing.kind !== 'assignment') log.disown(thing.kind, key)
  }
  return {
    intend: (changes) => {
      const all = changes.map((change) => intendedBy(change, nameOf))
      for (const [kind, some] of Map.groupBy(all, (one) => one.kind)) {
        const names = some.map(({ key }) => key)
        if (kind !== 'assignment') log.intend(kind, names)
      }
      return all.map((one) => {
        intended.set((last += 1), one)
        return last
      })
    },
    // It is there already: another machine has created it.
    amend: (id) => settle(id, 'unchanged'),
    settle,
    settleAll: (outcomes) => {
      for (const one of outcomes) settle(...one)
    },
    disown: (name, id) => {
      const kind = createdKind({ name })
      if (kind) log.disown(kind, keys.get(`${kind} ${id}`) ?? '', id)
    },
    // Keep in the receipt what may have been sent.
    withdraw: () => undefined,
    noteEntries: () => undefined,
  }
}
