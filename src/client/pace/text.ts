import { freshPace, type Kind, type Pace, type Sent } from './state.ts'

const KINDS: readonly Kind[] = ['unknown', 'sliding', 'fixed', 'bucket', 'trial']

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const isSent = (value: unknown): value is Sent =>
  Array.isArray(value) && value.length === 2 && isNumber(value[0]) && isNumber(value[1]) && value[1] > 0

const sentIn = (value: unknown): Sent[] => (Array.isArray(value) ? value.filter(isSent).sort(([a], [b]) => a - b) : [])

const pendingIn = (value: unknown): Record<string, number> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).flatMap(([name, at]) => (isNumber(at) ? [[name, at]] : [])))
    : {}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is known of a limit, as text. */
export const textOfPace = (pace: Pace): string => JSON.stringify(pace)

/** Reads it from text; what cannot be read counts as not known, as a file may hold anything. */
export const paceOfText = (text: string): Pace | undefined => {
  const fields = parsed(text)
  const fresh = freshPace()
  if (!isObject(fields)) return undefined
  const limit = fields['limit']
  // Nothing is known of a limit that was not met yet; what else there is tells what was sent.
  if (limit !== null && !(isNumber(limit) && limit >= 1)) return undefined
  const numberOf = (name: string, otherwise: number): number => {
    const value = fields[name]
    return isNumber(value) ? value : otherwise
  }
  const maybeNumber = (name: string): number | null => {
    const value = fields[name]
    return isNumber(value) && value > 0 ? value : null
  }
  return {
    limit,
    isTold: fields['isTold'] === true,
    windowMs: Math.max(1000, numberOf('windowMs', fresh.windowMs)),
    kind: KINDS.find((kind) => kind === fields['kind']) ?? fresh.kind,
    judgedAt: numberOf('judgedAt', 0),
    mistakes: numberOf('mistakes', 0),
    boundary: numberOf('boundary', 0),
    level: numberOf('level', 0),
    levelAt: numberOf('levelAt', 0),
    capacity: Math.max(1, numberOf('capacity', 1)),
    tried: numberOf('tried', 0),
    passed: numberOf('passed', 0),
    rate: maybeNumber('rate'),
    emptyAt: numberOf('emptyAt', 0),
    raiseAt: numberOf('raiseAt', 0),
    notBefore: numberOf('notBefore', 0),
    pauses: numberOf('pauses', 0),
    log: sentIn(fields['log']),
    foreign: sentIn(fields['foreign']),
    pending: pendingIn(fields['pending']),
    accepted: numberOf('accepted', 0),
    leadMs: maybeNumber('leadMs'),
    isMiscounted: fields['isMiscounted'] === true,
    guardMs: Math.max(0, numberOf('guardMs', fresh.guardMs)),
  }
}
