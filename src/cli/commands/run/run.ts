import { join } from 'node:path'
import { printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { markFirst } from '../../args/first-flags.ts'
import type { Cli, Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsList } from '../../output/printed.ts'
import { NO_STEPS } from './job-definition.ts'
import { GRAVITY } from './outcome.ts'

/** Defines what became of a step of a job. */
export const stepRow = printable(
  'job_step',
  'step of a job',
  {
    step: { kind: 'integer', about: 'Number of the step' },
    kind: { kind: 'text', about: 'import, check, report, export, export_entries, verify, run or webhook' },
    command: { kind: 'text', about: 'Command line that it stands for' },
    outcome: { kind: 'text', about: 'done, found (a target missed, a row rejected), failed, or skipped' },
    exit_code: { kind: 'integer', about: 'Exit code of the command', nullable: true },
    seconds: { kind: 'decimal', about: 'How long it took', nullable: true },
    message: {
      kind: 'text',
      about: 'What it said last, where it did not end with 0',
      nullable: true,
      isSentence: true,
    },
  },
  ['step', 'command', 'outcome', 'exit_code', 'seconds'],
)

const ABOUT = `
A job is a YAML file:

  lock: nightly                    # no two of them at once
  deadline: 2h                     # for all steps together; or a time of day, 06:00; --deadline wins
  log: nightly.log                 # each line with its time
  retry: until-deadline            # or a count: try a step again whose service fails (5, 6)
  steps:
    - import: inbox/*.csv          # each file by itself
      move_to: done/{date}
      required: true               # a night without any file is a failure; each: for each pattern
      flags: { create-assignments: true }
    - check:
      flags: { kpis: [Visits, Sales], from: yesterday, to: yesterday }
    - export: reports/{date}.csv
      flags: { from: this-month, force: true }
    - run: entries delete --from -13m --to -12m --user "Old shop" --yes
    - webhook: https://hooks.example.com/kpi
      token_env: HOOK_TOKEN

Steps: import, check, report, export (of a report), export_entries, verify, webhook. Their flags are those of the command.
A step run is any other command line of kpi, or a list of its words; it is divided as a shell does it, and nothing is put in.
Not among them: ${Object.keys(NO_STEPS).join(', ')}.
An import without files takes the result of a query: flags: { sql: select …, from-db: shop.sqlite }. Each import of a job has
a rejects file of its own. A job puts no variables of the environment into its texts.
A step is tried again only while its service cannot be reached, fails or has no room, and only where that does nothing twice;
never for rejected rows or what is refused. Paths in a job are in its folder. All words for days, and {date}, count from the moment at which the job begins. A step that
fails ends the job, unless it says on_failure: continue; rejected rows (3), missed targets (10) and differences (9) do not. A webhook gets
the outcome in any case: done, found (3, 9, 10) or failed, with what a check found: KPI, person, value and target. It ends with the deadline, but has 10 seconds at least. A
job that was cut off is continued by the same command.

The file is checked as a whole before anything runs, and by --dry-run: its flags, days, addresses and secrets. A
dry run also finds what the service's variant lacks, what the key may not do, files that are not there, or not by then,
rows that would be rejected, and names that the service does not have, and ends as the job would. Where it cannot know how
a step ends, it says that this was not tried, and does not fail. Editors check it as it is written with its JSON
Schema, which --schema prints: put it beside the job, whose first line names it, or paste the one of docs/job-schema.json of this package:

  # yaml-language-server: $schema=job-schema.json

The exit code is 2 where the file is wrong; else that of the step that ended the job, or else the gravest:
${GRAVITY.join(', ')}.`

const SCHEMA = join('docs', 'job-schema.json')

/** Prints the JSON Schema of jobs, which is a file of the package. */
const printSchema = async (cli: Cli, file: string | undefined): Promise<void> => {
  if (file !== undefined) throw new UsageError(`--schema runs no job; leave out ${file}, or --schema`)
  const [{ packageFolder }, { readRegularFile }] = await Promise.all([
    import('../../files/package-folder.ts'),
    import('../../../files/read-file.ts'),
  ])
  await cli.io.stdout.write(readRegularFile(join(packageFolder(SCHEMA), SCHEMA)).toString())
}

/** Registers `kpi run` */
export const runGroup: Register = (group, act) => {
  const command = group
    .argument('[job]', 'the file of the job')
    .option(
      '--dry-run',
      'check the job, its files and names, ask its service whether each step can be done there, and show the command lines',
    )
    .option('--schema', 'print the JSON Schema of jobs, for editors, and run none')
  command.addHelpText('after', ABOUT)
  addExamples(
    command,
    'run nightly.yaml --dry-run',
    'run nightly.yaml --quiet -o json',
    'run --schema --to-file job-schema.json',
  )
  printsList(command, stepRow)
  markFirst(command, ['--dry-run', '--schema'])
  act(command, async (cli, [file], flags) => {
    if (flags.schema) return printSchema(cli, file)
    if (file === undefined) throw new UsageError('name the file of the job, such as: kpi run nightly.yaml --dry-run')
    const { runJob } = await import('./run-job.ts')
    return runJob(cli, file, flags.dryRun === true)
  })
}
