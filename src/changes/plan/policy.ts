import type { Desired } from '../records/desired.ts'
import type { Kind } from '../records/kind-fields.ts'
import type { AccountRecord } from '../records/snapshot.ts'

/** Says what a plan may do, and how its reasons name the way out. */
export type Policy = {
  /** Says what becomes of a record that exists already; it is updated by default. */
  readonly existing?: 'update' | 'skip' | 'refuse' | undefined
  /** Tells that nothing is created. */
  readonly onlyExisting?: true | undefined
  /** Tells that the input is a whole configuration, which lists calculated KPIs in a section of their own. */
  readonly isConfiguration?: true
  /** Tells that the interface shows the ids of groups alone. */
  readonly isByIdAlone?: boolean
  /** Tells whether the user says that names in a field are meant, whatever they could stand for. */
  readonly isMeant: (kind: Kind, field: string) => boolean
  /** Returns the flag that says so: `--by-name kpis`. */
  readonly takesName: (kind: Kind, field: string) => string
  /** Tells whether an earlier part of the run may have made what an item says, so that it is no conflict. */
  readonly isOurs?: (desired: Desired) => boolean
  /**
   * Words the refusal of a name that another record or an earlier item has. Without it, two records may get names of the
   * same form.
   */
  readonly tellTaken?: (holder: AccountRecord, isNew: boolean) => string
  /** Tells that a name that may stand for no value is warned of, and not refused. */
  readonly takesNoValue?: true
}
