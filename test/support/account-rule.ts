import { loadModule, parseSync } from 'libpg-query'

/**
 * What a statement says about accounts, by PostgreSQL's own parser. A database that spreads accounts over machines sends a
 * statement to one of them if each table in it has a condition on the account of its own: `account_id = $1`.
 */
export type AccountUse = {
  /** The tables of accounts in the statement, each time that it names one. */
  readonly tables: readonly string[]
  /** The tables that belong to no account. */
  readonly local: readonly string[]
  /** The tables without a condition on the parameter, or with one on another parameter than the other tables. */
  readonly unbound: readonly string[]
  /** The tables whose rows it would give to another account, which no distributed database can do. */
  readonly moved: readonly string[]
  /** Whether all tables are compared with each other by account, so that each machine can join its own part. */
  readonly isColocated: boolean
}

/** The tables of a store whose rows belong to an account, and those whose rows do not. */
export type StoreTables = { readonly ofAccounts: ReadonlySet<string>; readonly local: ReadonlySet<string> }

type Node = Readonly<Record<string, unknown>>

/** A table that a statement names: the values that its account equals, and the tables that have the same account. */
type Reference = { readonly table: string; readonly values: Set<string>; readonly same: Set<Reference>; isMoved?: true }

/** The names that a part of a statement can use. */
type Scope = { readonly names: ReadonlyMap<string, Reference>; readonly outer: Scope | undefined }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const nodeIn = (node: Node, key: string): Node => {
  const value = node[key]
  return isNode(value) ? value : {}
}
const nodesIn = (node: Node, key: string): Node[] => {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}
const textIn = (node: Node, key: string): string => {
  const value = node[key]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const accountColumn = (table: string): string => (table === 'accounts' ? 'id' : 'account_id')

/** Returns a parameter or a constant as text; undefined for anything else. */
const valueOf = (node: Node): string | undefined => {
  if (isNode(node['ParamRef'])) return `$${textIn(node['ParamRef'], 'number')}`
  if (isNode(node['TypeCast'])) return valueOf(nodeIn(node['TypeCast'], 'arg'))
  if (isNode(node['A_Const'])) return JSON.stringify(nodeIn(node['A_Const'], 'ival'))
  return undefined
}

/** Returns the conditions that all have to be true. */
const conjuncts = (condition: Node): Node[] => {
  const all = nodeIn(condition, 'BoolExpr')
  return all['boolop'] === 'AND_EXPR' ? nodesIn(all, 'args').flatMap(conjuncts) : [condition]
}

/** Finds the table whose account a column is. */
const accountOf = (node: Node, scope: Scope | undefined): Reference | undefined => {
  const fields = nodesIn(nodeIn(node, 'ColumnRef'), 'fields').map((field) => textIn(nodeIn(field, 'String'), 'sval'))
  const [column = '', qualifier] = fields.toReversed()
  if (!scope || fields.length === 0) return undefined
  const only = scope.names.size === 1 ? [...scope.names.values()][0] : undefined
  const found = qualifier === undefined ? only : scope.names.get(qualifier)
  if (!found) return qualifier === undefined ? undefined : accountOf(node, scope.outer)
  return column === accountColumn(found.table) ? found : undefined
}

/** Notes what a condition says of the accounts of tables; `among` are those that it restricts. */
const note = (condition: Node, scope: Scope, among: ReadonlySet<Reference>): void => {
  for (const one of conjuncts(condition)) {
    const { kind, name: _, ...sides } = nodeIn(one, 'A_Expr')
    const operator = nodesIn(nodeIn(one, 'A_Expr'), 'name').map((part) => textIn(nodeIn(part, 'String'), 'sval'))
    if (kind !== 'AEXPR_OP' || operator.join('') !== '=') continue
    const [left, right] = [nodeIn(sides, 'lexpr'), nodeIn(sides, 'rexpr')]
    for (const [column, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const reference = accountOf(column, scope)
      if (!reference || !among.has(reference)) continue
      const [value, same] = [valueOf(other), accountOf(other, scope)]
      if (value !== undefined) reference.values.add(value)
      if (same) {
        reference.same.add(same)
        same.same.add(reference)
      }
    }
  }
}

/** Collects the tables of a `from`, and the conditions of its joins with the tables that each restricts. */
const collect = (
  node: Node,
  known: StoreTables,
  names: Map<string, Reference>,
  conditions: (readonly [condition: Node, among: ReadonlySet<Reference>])[],
): Reference[] => {
  if (isNode(node['RangeVar'])) {
    const table = textIn(node['RangeVar'], 'relname')
    if (!known.ofAccounts.has(table) && !known.local.has(table)) return []
    const reference: Reference = { table, values: new Set(), same: new Set() }
    names.set(textIn(nodeIn(node['RangeVar'], 'alias'), 'aliasname') || table, reference)
    return [reference]
  }
  const join = nodeIn(node, 'JoinExpr')
  if (Object.keys(join).length === 0) return []
  const left = collect(nodeIn(join, 'larg'), known, names, conditions)
  const right = collect(nodeIn(join, 'rarg'), known, names, conditions)
  // What an outer join demands of its first side removes no row of that.
  const restricted = join['jointype'] === 'JOIN_INNER' ? [...left, ...right] : right
  conditions.push([nodeIn(join, 'quals'), new Set(restricted)])
  return [...left, ...right]
}

/** Notes the accounts of the rows that a statement inserts. */
const noteInserted = (statement: Node, reference: Reference): void => {
  const at = nodesIn(statement, 'cols').findIndex(
    (column) => textIn(nodeIn(column, 'ResTarget'), 'name') === accountColumn(reference.table),
  )
  const select = nodeIn(nodeIn(statement, 'selectStmt'), 'SelectStmt')
  const lists = nodesIn(select, 'valuesLists').map((list) => nodesIn(nodeIn(list, 'List'), 'items'))
  const targets = nodesIn(select, 'targetList').map((target) => nodeIn(nodeIn(target, 'ResTarget'), 'val'))
  const values = [...lists, ...(targets.length > 0 ? [targets] : [])].map((list) => valueOf(list[at] ?? {}))
  const [first] = values
  if (first !== undefined && values.every((value) => value === first)) reference.values.add(first)
}

const STATEMENTS = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'])
/** A side of a union is a statement without its name around it. */
const isSelect = (value: unknown): value is Node => isNode(value) && 'limitOption' in value

/** Reads a statement and all within it; returns the tables that they name. */
const readStatement = (statement: Node, known: StoreTables, outer: Scope | undefined): Reference[] => {
  const names = new Map<string, Reference>()
  const conditions: (readonly [Node, ReadonlySet<Reference>])[] = []
  const target = isNode(statement['relation']) ? { RangeVar: statement['relation'] } : {}
  const found = [target, ...nodesIn(statement, 'fromClause'), ...nodesIn(statement, 'usingClause')].flatMap((node) =>
    collect(node, known, names, conditions),
  )
  const scope: Scope = { names, outer }
  for (const [condition, among] of conditions) note(condition, scope, among)
  note(nodeIn(statement, 'whereClause'), scope, new Set(found))
  const [inserted] = found
  const sets = 'selectStmt' in statement ? [] : nodesIn(statement, 'targetList')
  const moves = sets.some(
    (set) => inserted && textIn(nodeIn(set, 'ResTarget'), 'name') === accountColumn(inserted.table),
  )
  if (inserted && moves && 'relation' in statement) inserted.isMoved = true
  if ('selectStmt' in statement && inserted) noteInserted(statement, inserted)
  return [...found, ...Object.values(statement).flatMap((value) => readWithin(value, known, scope))]
}

const readWithin = (value: unknown, known: StoreTables, scope: Scope | undefined): Reference[] => {
  if (Array.isArray(value)) return value.flatMap((one) => readWithin(one, known, scope))
  if (!isNode(value)) return []
  if (isSelect(value)) return readStatement(value, known, scope)
  return Object.entries(value).flatMap(([key, child]) =>
    STATEMENTS.has(key) && isNode(child) ? readStatement(child, known, scope) : readWithin(child, known, scope),
  )
}

/** Returns the tables that have the same account as one. */
const sameAs = (first: Reference | undefined): ReadonlySet<Reference> => {
  const reached = new Set<Reference>()
  const waiting = first ? [first] : []
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    if (reached.has(one)) continue
    reached.add(one)
    waiting.push(...one.same)
  }
  return reached
}

/** Loads the parser. */
export const loadParser = loadModule

/** Reads what a statement says about accounts. */
export const readAccountUse = (sql: string, known: StoreTables): AccountUse => {
  const references = readWithin((parseSync(sql) as unknown as Node)['stmts'], known, undefined)
  const ofAccounts = references.filter(({ table }) => known.ofAccounts.has(table))
  const [first] = ofAccounts
  const [value] = ofAccounts.flatMap(({ values }) => [...values])
  const isBound = ({ values }: Reference): boolean => value !== undefined && values.has(value)
  const together = sameAs(first)
  return {
    tables: ofAccounts.map(({ table }) => table),
    local: references.filter(({ table }) => known.local.has(table)).map(({ table }) => table),
    unbound: ofAccounts.filter((one) => !isBound(one)).map(({ table }) => table),
    moved: ofAccounts.filter(({ isMoved }) => isMoved).map(({ table }) => table),
    isColocated: ofAccounts.every((one) => together.has(one)),
  }
}
