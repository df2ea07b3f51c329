/** What is asked: method and path below `/api` or `/v1`, and the same data as a body in JSON and in XML. */
export type Question = {
  readonly ask: string
  readonly body?: object
  /** The element that holds the body in XML. */
  readonly root?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A row of the suite: what is asked, and what is told. */
export type Row = Question & {
  /** Why it is asked. */
  readonly what: string
  readonly status: number
  /** The body as it is, where it is not plain data. */
  readonly raw?: { readonly json: string | Uint8Array; readonly xml: string | Uint8Array }
  /** The login name, where it is not the first user's; in the newer variant the key is of whom it names. */
  readonly login?: string
  /** Whom it is asked of, where it is not an account that is as all of the suite. */
  readonly from?: Place
  /** What the same account asked before. */
  readonly before?: readonly Question[]
  /** What the answer holds: its resource's element in XML, `ArrayOf…` for a list; without it the answer is empty. */
  readonly of?: string
  /** Its fields, where they are not those that the classic interface shows. */
  readonly shape?: string | undefined
  /** The values that count; of a list, some of those that are in it. Whatever else a resource has is there, too. */
  readonly tells?: object
  /** How many a list holds. */
  readonly count?: number
  /** The fields that a refusal names, in a batch with the index: `0.kpi_id`. */
  readonly faults?: readonly string[]
  /** Whether a refusal is told as problem details. */
  readonly problem?: true
  /** Words of the answer, where its values are not enough. */
  readonly says?: RegExp
  /** Headers of the answer; `undefined` for one that is not there. */
  readonly sends?: Readonly<Record<string, string | RegExp | undefined>>
  /** What a GET is told afterwards: a status, or values. */
  readonly after?: readonly [path: string, told: number | object]
  /** The format in which it makes sense: a number for text is a fault in JSON only. */
  readonly only?: Format
}

/** Whom to ask: an account that is as all of the suite, or one, or a service, with something wrong about it. */
export type Place = 'usual' | 'limited' | 'counted' | 'off' | 'individual' | 'broken' | 'unavailable'

/** The two formats of the classic interface. */
export type Format = 'json' | 'xml'

/** The fields of everything that is shown, in their order. */
export const SHAPES: Readonly<Record<string, string>> = {
  KPI: 'id category_id icon_id unit_id frequency_id name description target_default value_direction aggregate_function sort_order is_active is_calculated created_at updated_at',
  UserKPI: 'id user_id user_target sort_order created_at updated_at',
  UserGroupItem: 'user_id id group_id group_name name created_at',
  User: 'id user_type user_status_id first_name last_name email password can_manage_users can_admin_settings last_login_at last_password_changed_at created_at updated_at',
  Group: 'id name sort_order created_at updated_at',
  GroupItem: 'id group_id name sort_order created_at updated_at',
  KPICategory: 'id name sort_order created_at updated_at',
  KPIFrequency: 'id name',
  KPIUnit: 'id name entry_format display_format is_percentage created_at updated_at',
  KPIIcon: 'id name',
  KPIEntry: 'id user_id kpi_id entry_date actual target notes created_at updated_at',
  DataEntry:
    'kpiId kpiName kpiDescription itemId itemName periodId period labelFormat isPercentage hasTarget direction directionName entryDate actual target notes',
  KPIEntryListResult: 'rows_added rows_created rows_updated rows_unchanged',
  Health: 'status version',
  BreakdownItem: 'id breakdown_id name user_id is_archived sort_order created_at updated_at',
}

/** The fields of what the newer variant shows more of. */
export const NEWER_SHAPES = {
  KPIEntry: 'id user_id source_id kpi_id entry_date actual target notes created_at updated_at',
} as const
