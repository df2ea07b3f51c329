import { HeldByUsers } from '../../../changes/send/dependents.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { learnAccount } from '../../target/service-of.ts'
import type { Doomed, Removal } from './delete.ts'
import type { RecordedRun } from '../changes/recorded-run.ts'
import { type Command, desiredOf, idBefore, makeListed, planList, withRun } from './make-listed.ts'

/** Describes what a line deletes: by ids or names, and in what all of them lie. */
type Given = { readonly names: readonly string[]; readonly parent: number | undefined }

const removalOf = (command: Command, { names, parent }: Given, given: RecordedRun): Removal => {
  const { cli, client, ways, of } = command
  const { run, earlier } = given
  const before = new Set<number>()
  const held = new HeldByUsers({ client, ...ways })
  const removeAll: Removal['removeAll'] = async (doomed, onDeleted) => {
    const byPlace = new Map(doomed.map((one) => [one.place ?? 0, one]))
    const desired = doomed.map(({ place = 0, id }) =>
      desiredOf(of, {}, { line: place, id, isById: true, isAbsent: true }),
    )
    const above = parent === undefined ? {} : { group_id: parent }
    const unread = doomed.flatMap(({ id, record }) => (record ? [] : [{ id, ...above }]))
    const stored = doomed.flatMap(({ record }) => (record ? [record] : []))
    const total = names.length
    const plan = await planList(command, { desired, total, stored, unread })
    if (before.size > 0) await cli.note(`${before.size} of ${names.length} ${pluralOf(of)} were deleted before`)
    const doomedAt = (line: number | undefined): readonly Doomed[] => [byPlace.get(line ?? 0) ?? []].flat()
    const { done, failure } = await makeListed(command, {
      plan,
      items: plan.planned,
      total,
      run: given,
      held,
      onOutcome: async ({ change, result }) => {
        if (result === 'done') for (const one of doomedAt(change.record.desired?.line)) await onDeleted(one)
      },
    })
    return { done: done.flatMap(({ desired: { line } }) => doomedAt(line)), failure }
  }
  return {
    idAt: idBefore(given),
    held,
    isDeleted: (place) => {
      const begun = earlier.begunAt(place)
      for (const { id, outcome } of begun) if (outcome === undefined) run.settle(id, 'done')
      if (begun.length > 0) before.add(place)
      return begun.length > 0
    },
    removeAll,
  }
}

/** Runs the deletion of the records of a line, each of which is noted as it was. */
export const deleteListed = async (
  command: Command,
  given: Given,
  work: (removal: Removal) => Promise<void>,
): Promise<void> => {
  await learnAccount(command.client)
  await withRun(command, given, (run) => work(removalOf(command, given, run)))
}
