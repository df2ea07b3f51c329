import type { Scope } from './scopes.ts'

/** Describes one fault in what was sent: the index of the entry in a batch (from 0), the field, and the reason. */
export type Issue = { readonly index?: number; readonly field: string; readonly message: string }

/** Lists every way in which the service refuses or fails. HTTP statuses and exit codes are tables over this list. */
export type ErrorCode =
  | 'malformed' // a body, path or query that cannot be read
  | 'invalid' // fields that fail their rules, named in `issues`
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'too_slow' // a request that did not come in time
  | 'too_long'
  | 'head_too_large'
  | 'media_type'
  | 'not_acceptable' // no format that the sender takes
  | 'key_reused' // an Idempotency-Key that was sent before with another body
  | 'locked' // the same is being done already
  | 'unsupported' // this variant of the service does not have that
  | 'rate_limited'
  | 'unavailable' // try again later
  | 'unusable' // the store cannot be used until somebody mends it
  | 'internal'

/** Lists the classes of failures: whether a request is sent again, and how a command ends, are tables over these. */
export type ErrorClass =
  | 'rejected' // for what was sent: the same is refused again, and something else may be taken
  | 'conflict' // it contradicts what is there
  | 'unauthorized'
  | 'unsupported' // this service does not have that
  | 'not understood' // a request of a form that this service does not take
  | 'locked' // the same is being done already
  | 'limited' // the service asks for a later try
  | 'unreachable' // nobody answers, or only that the service is not there now
  | 'failing'
  | 'own machine' // what this machine must be mended for

const CLASSES: Readonly<Record<ErrorCode, ErrorClass>> = {
  malformed: 'rejected',
  invalid: 'rejected',
  not_found: 'rejected',
  too_large: 'rejected',
  conflict: 'conflict',
  unauthorized: 'unauthorized',
  forbidden: 'unauthorized',
  method_not_allowed: 'unsupported',
  unsupported: 'unsupported',
  too_long: 'not understood',
  head_too_large: 'not understood',
  media_type: 'not understood',
  not_acceptable: 'not understood',
  key_reused: 'not understood',
  locked: 'locked',
  rate_limited: 'limited',
  unavailable: 'unreachable',
  internal: 'failing',
  too_slow: 'failing',
  unusable: 'own machine',
}

type Details = {
  readonly issues?: readonly Issue[]
  /** Counts the issues beyond those, which were too many to keep. */
  readonly unlisted?: number
  /** Holds the seconds to wait before another try. */
  readonly retryAfter?: number
  /** Lists the methods that the path allows. */
  readonly allow?: readonly string[]
  /** Names the scope that a key lacks. */
  readonly missingScope?: Scope | undefined
  /**
   * Tells that the request may have been carried out, because its answer was lost or says only that something failed.
   */
  readonly mayBeDone?: boolean
  readonly cause?: unknown
}

/** Reports an expected failure, in the service and in its clients: one line for people, a code for programs. */
export class KpiError extends Error {
  override readonly name = 'KpiError'
  readonly code: ErrorCode
  readonly issues: readonly Issue[]
  readonly unlisted: number
  readonly retryAfter: number | undefined
  readonly allow: readonly string[]
  readonly mayBeDone: boolean
  readonly missingScope: Scope | undefined
  /** Tells that the message contains the only issue, so that the issue need not be shown again. */
  readonly namesIssue: boolean

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.issues = details.issues ?? []
    this.unlisted = details.unlisted ?? 0
    this.retryAfter = details.retryAfter
    this.allow = details.allow ?? []
    this.mayBeDone = details.mayBeDone ?? false
    this.missingScope = details.missingScope
    const [issue, ...others] = this.issues
    this.namesIssue = issue !== undefined && others.length === 0 && message.includes(issue.message)
  }

  /** Tells the class; a conflict that asks for a later try is with a request that is still at work. */
  get class(): ErrorClass {
    return this.code === 'conflict' && this.retryAfter !== undefined ? 'limited' : CLASSES[this.code]
  }
}

/** Returns the error for fields that break their rules, with all of their faults, or the first and how many more. */
export const invalid = (issues: readonly Issue[], unlisted = 0): KpiError => {
  const [first] = issues
  const count = issues.length + unlisted
  const summary = count === 1 && first ? `${first.field}: ${first.message}` : `${count} fields are not valid`
  return new KpiError('invalid', summary, { issues, unlisted })
}

/** Bounds the faults that are collected: whoever has more than these mends them first. */
export const MOST_FAULTS = 1000

/** Collects the faults of a file, which may have any number: keeps the first, and counts the others. */
export class Faults {
  readonly listed: Issue[] = []
  #unlisted = 0

  get unlisted(): number {
    return this.#unlisted
  }

  /** Adds a fault, which is described only if it is kept. */
  add(describe: () => Issue): void {
    if (this.listed.length < MOST_FAULTS) this.listed.push(describe())
    else this.#unlisted += 1
  }
}

const isOf = (error: unknown, ...classes: readonly ErrorClass[]): error is KpiError =>
  error instanceof KpiError && classes.includes(error.class)

/** Tells whether a later try may succeed. */
export const isTransient = (error: unknown): error is KpiError => isOf(error, 'limited', 'unreachable', 'failing')

/** Tells whether the service refused a request because of its contents. */
export const isRefused = (error: unknown): error is KpiError => isOf(error, 'rejected', 'conflict')

/** Returns the reasons of a refusal. */
export const reasonsOf = ({ issues, message }: KpiError): readonly string[] =>
  issues.length > 0 ? issues.map(({ field, message: words }) => `${field}: ${words}`) : [message]

/** Tells whether something is not there. */
export const isNotFound = (error: unknown): error is KpiError => error instanceof KpiError && error.code === 'not_found'

/** Throws all faults at once, if there are any. */
export const refuseFaults = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw invalid(issues)
}

/**
 * Describes the fault that reading or checking a value returns. `verb` tells how the message continues: after the name
 * of the field (`must be a whole number`), or after the value itself (`is no date`); without it, the message is a
 * sentence.
 */
export class Fault {
  readonly message: string
  readonly verb: 'must' | 'is' | undefined
  constructor(message: string, verb?: Fault['verb']) {
    this.message = message
    this.verb = verb
  }

  /** Returns the fault of a field: what it must be or do. */
  static must(rest: string): Fault {
    return new Fault(`must ${rest}`, 'must')
  }

  /** Returns the fault of a value: what it is. */
  static is(rest: string): Fault {
    return new Fault(`is ${rest}`, 'is')
  }
}
