import { commandHelp, type CommandHelp } from '../src/cli/help-json.ts'
import { processIo } from '../src/cli/io.ts'
import { describeProgram } from '../src/cli/program.ts'
import { settingSentence, ALL_SETTINGS } from '../src/cli/target/settings.ts'

/** A text as roff shows it: backslashes, hyphens, and lines that would be requests. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')

const bold = (text: string): string => `\\fB${roff(text)}\\fR`

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`.SH ${title}`, ...lines]

/** Text whose lines stay as they are. */
const asTyped = (text: string): string[] => (text === '' ? [] : ['.nf', roff(text), '.fi'])

const flagLines = ({ flags }: CommandHelp): string[] =>
  flags.flatMap(({ flags: names, about, choices }) => [
    '.TP',
    bold(names),
    roff(choices === undefined ? about : `${about}: ${choices.join(', ')}`),
  ])

const argumentLines = (command: CommandHelp): string[] =>
  command.arguments.flatMap(({ name, about }) => ['.TP', bold(name), roff(about)])

/** The variables of the environment, and what they set. */
const variableLines = ALL_SETTINGS.flatMap((setting) =>
  setting.sources.variables ? ['.TP', bold(setting.sources.variables.join(', ')), roff(settingSentence(setting))] : [],
)

/** A command and all below it, each as a subsection. */
const subsections = (command: CommandHelp): string[] => [
  `.SS ${roff(command.command)}`,
  roff(command.about),
  '.PP',
  bold(command.usage),
  ...argumentLines(command),
  ...flagLines(command),
  ...(command.notes === '' ? [] : ['.PP', ...asTyped(command.notes)]),
  ...(command.examples.length === 0 ? [] : ['.PP', 'Examples:', '.PP', ...asTyped(command.examples.join('\n'))]),
  ...command.commands.flatMap(subsections),
]

const pageName = ({ command }: CommandHelp): string => command.replaceAll(' ', '-')

const page = (command: CommandHelp, body: readonly string[]): string =>
  [
    `.TH ${pageName(command).toUpperCase()} 1`,
    ...section('NAME', [`${roff(pageName(command))} \\- ${roff(command.about.split('\n', 1)[0] ?? '')}`]),
    ...section('SYNOPSIS', [bold(command.usage)]),
    ...body,
    '',
  ].join('\n')

const rootPage = (program: CommandHelp): string =>
  page(program, [
    ...section(
      'DESCRIPTION',
      program.about.split('\n\n').flatMap((text) => ['.PP', roff(text)]),
    ),
    ...section('FLAGS OF EVERY COMMAND', flagLines(program)),
    ...section(
      'COMMANDS',
      program.commands.flatMap((one) => ['.TP', bold(one.command), roff(one.about)]),
    ),
    ...section('ENVIRONMENT', variableLines),
    ...section('EXIT CODES AND FIRST STEPS', asTyped(program.notes)),
    ...section('SEE ALSO', [program.commands.map((one) => `${bold(pageName(one))}(1)`).join(', ')]),
  ])

/** The manual pages: one of the program, and one of each group of commands, by their file names. */
export const manPages = async (): Promise<ReadonlyMap<string, string>> => {
  const program = commandHelp(await describeProgram('', processIo()), 'kpi')
  const groups = program.commands.map((one): [string, string] => [
    `${pageName(one)}.1`,
    page(one, section('DESCRIPTION', subsections(one))),
  ])
  return new Map([['kpi.1', rootPage(program)], ...groups])
}
