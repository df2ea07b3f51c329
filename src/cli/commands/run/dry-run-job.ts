import { shownSource } from '../../../client/http/address.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { readDeadline } from '../../args/deadline.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { createStepDryRun, type Outlook } from './dry-run-step.ts'
import { codeAfterFiles, codeOf, endText, gravest, rowOf, type Running, type StepResult } from './outcome.ts'
import { stepRow } from './run.ts'
import { commandText, noFile, nothingToImport } from './run-steps.ts'
import { lackOfFiles } from './required-files.ts'
import type { Step } from './step.ts'
import { lineText, linesOf, type StepLine } from './step-lines.ts'
import { createLackFinder } from './step-needs.ts'

/** Describes a job that was read and checked: its folder, when it begins, and which day that is. */
export type Opened = Pick<Running, 'job' | 'service' | 'cwd' | 'today' | 'begun' | 'hide'>

/** Sets how long each step of a dry run waits for a service that is down: somebody waits for what it foresees. */
const LONGEST_OUTAGE_MS = 5000

/** Describes a step of a dry run: its command lines, each with how it would end, and what holds for all of it. */
type StepOutlook = {
  readonly step: Step
  readonly lines: readonly (Outlook & { readonly line: StepLine })[]
  readonly all: Outlook
}

/** Creates what finds how the steps of a job would end, one after the other. */
const createOutlooks = (cli: Cli, opened: Opened, signal: AbortSignal) => {
  const { job, cwd, today, begun, hide } = opened
  const rejects = new Set<string>()
  const { at: deadline } = readDeadline(cli.flags.deadline ?? job.deadline, begun)
  const dryRun = createStepDryRun({ ...opened, cli, deadline, longestOutageMs: LONGEST_OUTAGE_MS })
  const findLack = createLackFinder((text) => cli.note(hide(text)))
  return async (step: Step, at: number): Promise<StepOutlook> => {
    const { command } = step
    const found = (await linesOf(step, { cwd, signal }, rejects)).filter(dryRun.isLeft)
    const { lack, isSilent } = command ? await findLack(`step ${at + 1}, ${step.kind}`, command) : {}
    const ofNames = command && !lack && !isSilent ? await dryRun.names(command) : {}
    const ofStep: Outlook = lack ? { lack } : ofNames
    const more = dryRun.found(step)
    const lines: (Outlook & { line: StepLine })[] = []
    for (const line of found) {
      const isOpen = ofStep.lack === undefined && isSilent !== true
      const outlook = isOpen ? { ...ofStep, ...(await dryRun.line(step, line)) } : ofStep
      dryRun.leave(step, line, outlook)
      lines.push({ line, ...outlook })
    }
    const lackOf = more.untried === undefined ? lackOfFiles({ cwd, today }, step, found) : undefined
    if (lackOf !== undefined && !ofStep.lack)
      return { step, lines, all: { lack: { code: EXIT.failed, message: lackOf } } }
    if (found.length > 0 || ofStep.lack || more.untried !== undefined)
      return { step, lines, all: { ...more, ...ofStep } }
    await cli.note(hide(`step ${at + 1}, line ${step.line}: ${nothingToImport(step)}`))
    return {
      step,
      lines,
      all: step.moveTo === undefined ? { lack: { code: EXIT.failed, message: noFile(step) } } : {},
    }
  }
}

/** Returns what is said of a step: of all of it, and of each of its lines, with the file where there are several. */
const saidOf = <T>(
  { lines, all }: StepOutlook,
  pick: (outlook: Outlook) => T | undefined,
): { readonly said: T; readonly file: string | undefined }[] => {
  const ofAll = pick(all)
  const own = lines.flatMap(({ line: { file }, ...outlook }) => {
    const said = pick(outlook)
    return said === undefined || said === ofAll ? [] : [{ said, file: lines.length > 1 ? file : undefined }]
  })
  return [...(ofAll === undefined ? [] : [{ said: ofAll, file: undefined }]), ...own]
}

/** Returns the commands of a step, each with how it would end, and the step itself where something else than those would fail. */
const rowsOf = ({ step, lines, all }: StepOutlook, at: number, hide: Opened['hide']): AnyRecord[] => {
  const rowFor = (text: string, { lack, untried }: Outlook): AnyRecord => {
    const message = lack ? hide((lack.details ?? [lack.message]).join('; ')) : untried && hide(untried)
    const row = rowOf({ step, command: hide(text), code: lack?.code, seconds: 0, message }, at)
    return { ...row, seconds: null, ...(lack ? {} : { outcome: 'planned' }) }
  }
  const rows = lines.map(({ line, ...outlook }) => rowFor(lineText(step, line.words), outlook))
  if (all.lack === undefined || lines.some(({ lack }) => lack === all.lack)) return rows
  const found = lines.map(({ line }) => line)
  return [...rows, rowFor(commandText(found, step), all)]
}

/** Prints the commands of a job, and fails if one would not end well, as far as that can be known before. */
export const printJobDryRun = async (cli: Cli, file: string, opened: Opened, signal: AbortSignal): Promise<void> => {
  const { job, service, hide } = opened
  const rows: AnyRecord[] = []
  const results: StepResult[] = []
  const lines: string[] = []
  const outlookOf = createOutlooks(cli, opened, signal)
  if (service !== undefined) await cli.note(hide(`service: ${service}`))
  for (const [at, step] of job.steps.entries()) {
    const outlook = await outlookOf(step, at)
    const name = (of: string | undefined): string =>
      `step ${at + 1}, ${step.kind}${of === undefined ? '' : `, ${shownSource(of)}`}`
    rows.push(...rowsOf(outlook, at, hide))
    for (const { said, file: of } of saidOf(outlook, ({ untried }) => untried))
      await cli.note(hide(`${name(of)}: ${said}`))
    const lacks = saidOf(outlook, ({ lack }) => lack)
    for (const { said, file: of } of lacks) {
      const { code, message, details } = said
      lines.push(`${name(of)}, would end with ${code}: ${hide(details?.[0] ?? message)}`)
      for (const more of details?.slice(1) ?? []) lines.push(`${name(of)}: ${hide(more)}`)
    }
    const codes = [...outlook.lines.map(({ lack }) => lack?.code ?? EXIT.done), ...lacks.map(({ said }) => said.code)]
    results.push({ step, command: '', code: codeAfterFiles(gravest(codes), codes), seconds: 0, message: undefined })
  }
  await cli.note(
    `dry run, nothing was done: ${countOf(rows.length, 'command')} of ${countOf(job.steps.length, 'step')}`,
  )
  await cli.printMany(stepRow.shown, rows)
  const code = codeOf(results)
  if (code === EXIT.done) return
  const failed = results.filter((one) => one.code !== EXIT.done)
  throw new IncompleteRun(code, 'job', [`the job ${file} ${endText(code, failed.length, true)}`, ...lines])
}
