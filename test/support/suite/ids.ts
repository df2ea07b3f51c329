/** The ids of what every account of the suite holds. Every account counts from 1. */
export const IDS = {
  /** Categories. A new account has General; IDLE is used by no KPI. */
  GENERAL: 1,
  IDLE: 2,
  /** Units. A new account has four; no KPI uses CURRENCY. */
  NUMBER: 1,
  CURRENCY: 4,
  /** KPIs: daily with a target, weekly without one, inactive, one that nobody has, and half of VISITS. */
  SALES: 1,
  VISITS: 2,
  OLD: 3,
  FREE: 4,
  RATIO: 5,
  /** Users. BOSS came with the account; ANN reports, BOB does not, LOU is locked. */
  BOSS: 1,
  ANN: 2,
  BOB: 3,
  LOU: 4,
  /** Group items count with the users: ANN is in NORTH, nobody in SOUTH. Both are of REGION; EMPTY has none. */
  NORTH: 5,
  SOUTH: 6,
  REGION: 2,
  EMPTY: 3,
  /** Entries of ANN for SALES, one of 20 November and one of today; both carry NORTH. */
  ENTRY: 1,
  TODAY: 2,
  /** What is made next. */
  NEW_KPI: 6,
  NEW_USER: 7,
  NEW_ITEM: 7,
  NEW_CATEGORY: 3,
  NEW_UNIT: 5,
  NEW_GROUP: 4,
  NEW_ENTRY: 3,
  /** Held by the neighbour, another account, and by nobody else; its group item. */
  FOREIGN: 30,
  FOREIGN_ITEM: 31,
  /** Held by nobody. */
  NOBODY: 99,
} as const
