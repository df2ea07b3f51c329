import { run } from '../../src/cli/main.ts'
import type { Folder } from './folder.ts'
import { testIo, type World } from './io.ts'

/** What a command line came to. */
export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs command lines one after the other in the same home, as one user would. */
export type Shell = (...args: string[]) => Promise<Ran>

/** A shell whose `kpi` runs in this process. Everything that it keeps is in `home`. */
export const shellIn = (world: World): Shell => {
  return async (...args) => {
    const { io, stdout, stderr } = testIo(world)
    const code = await run(args, io)
    return { code, stdout: stdout(), stderr: stderr() }
  }
}

/** Runs a command line in this process, at the present moment: for what is no test of the process itself. */
export const runHere = (
  { path }: Pick<Folder, 'path'>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> => shellIn({ home: path, env, now: Date.now() })(...args)

/** The JSON that a command printed; fails with its errors where it did not succeed. */
export const jsonOf = ({ code, stdout, stderr }: Ran): unknown => {
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** The error that a command line with `-o json` told. */
export type ToldError = { readonly code: string; readonly message: string; readonly issues: readonly ToldIssue[] }
type ToldIssue = { readonly field: string; readonly message: string }

/** Reads the one JSON object that is told of an error, behind whatever notes there were. */
export const errorOf = ({ stderr }: Pick<Ran, 'stderr'>): ToldError => {
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { error: ToldError }).error
}

/** All that is told of an error, as one text. */
export const allOf = ({ message, issues }: ToldError): string =>
  [message, ...issues.map((issue) => `${issue.field}: ${issue.message}`)].join('\n')

/** What was said, with `kpi` in the place of the command that an error about a line begins with. */
export const withoutCommand = (stderr: string): string => stderr.replaceAll(/^kpi(?: [a-z][a-z-]*)+: /gm, 'kpi: ')
