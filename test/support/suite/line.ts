import type { Question } from './row.ts'

/** The method and the path that a question begins with, as they are compared. */
export const lineOf = ({ ask }: Question): { readonly method: string; readonly path: string } => {
  const [method = '', target = ''] = ask.split(' ')
  const [path = ''] = target.toLowerCase().split('?')
  return { method, path: path.replace(/\/$/, '') }
}

const ABSENT = /^\/(?:groups|users\/[^/]+\/(?:kpis|groupitems))(?:\/|$)/
const PEOPLE = /^\/users(?:\/[^/]+)?$/

/** Whether a path is one that only the classic interface has. */
export const isClassicPath = (path: string): boolean => ABSENT.test(path)

/** Whether a path is that of the users, or of one of them. */
export const isOfPeople = (path: string): boolean => PEOPLE.test(path)

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a question asks to change something. */
export const isWrite = (question: Question): boolean => !READS.has(lineOf(question).method)

/** Whether only the classic interface does what a question asks. */
export const isClassicOnly = (question: Question): boolean => {
  const { path } = lineOf(question)
  return isClassicPath(path) || (isOfPeople(path) && isWrite(question))
}
