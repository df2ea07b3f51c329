import type { Register } from './cli.ts'
import {
  breakdownItems,
  categories,
  frequencies,
  groupItems,
  groups,
  icons,
  kpis,
  units,
  users,
} from './commands/definitions.ts'

/** Heads the groups in help, in this order. */
const HEADINGS = {
  start: 'Start here:',
  define: 'Define what is measured, and by whom:',
  enter: 'Enter values and read reports:',
  configure: 'Keep the configuration in a file:',
  run: 'Run a service, and reach others:',
} as const

/** Heads what people begin with. */
export const START = HEADINGS.start

/** Describes a group of commands, which is loaded when one of them is used. */
type Group = { readonly heading: string; readonly summary: string; readonly load: () => Promise<Register> }

/** Lists all groups, in the order in which help shows them. */
export const commandGroups: Readonly<Record<string, Group>> = {
  demo: {
    heading: HEADINGS.start,
    summary: 'a sample account with real data, and its report',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  kpis: {
    heading: HEADINGS.define,
    summary: 'KPI definitions: what is measured, how often, which way is better',
    load: () => Promise.resolve(kpis),
  },
  users: {
    heading: HEADINGS.define,
    summary: 'people who report values; lock those who leave, so that their history stays',
    load: () => Promise.resolve(users),
  },
  groups: {
    heading: HEADINGS.define,
    summary: 'groups, such as regions or teams, that users and their values belong to',
    load: () => Promise.resolve(groups),
  },
  'group-items': {
    heading: HEADINGS.define,
    summary: 'the items of groups, such as North and South',
    load: () => Promise.resolve(groupItems),
  },
  'breakdown-items': {
    heading: HEADINGS.define,
    summary: 'what values are broken down by: the group items of the newer interface, and people; archive old ones',
    load: () => Promise.resolve(breakdownItems),
  },
  assign: {
    heading: HEADINGS.define,
    summary: 'KPIs and group items of users',
    load: async () => (await import('./commands/assign/assign.ts')).assign,
  },
  entries: {
    heading: HEADINGS.enter,
    summary: 'values: list, add, delete, import from a file, export to one',
    load: async () => (await import('./commands/entries/entries.ts')).entries,
  },
  report: {
    heading: HEADINGS.enter,
    summary: 'a report of where each KPI stands',
    load: async () => (await import('./commands/report/report.ts')).report,
  },
  check: {
    heading: HEADINGS.enter,
    summary: 'ends with 10 where a target is missed or a value is missing',
    load: async () => (await import('./commands/report/check.ts')).checkTargets,
  },
  run: {
    heading: HEADINGS.enter,
    summary: 'a job of steps in a file: import, check, report, export, tell',
    load: async () => (await import('./commands/run/run.ts')).runGroup,
  },
  categories: {
    heading: HEADINGS.define,
    summary: 'categories of KPIs',
    load: () => Promise.resolve(categories),
  },
  units: {
    heading: HEADINGS.define,
    summary: 'units of measure',
    load: () => Promise.resolve(units),
  },
  frequencies: {
    heading: HEADINGS.define,
    summary: 'how often KPIs are measured',
    load: () => Promise.resolve(frequencies),
  },
  icons: {
    heading: HEADINGS.define,
    summary: 'icons of KPIs',
    load: () => Promise.resolve(icons),
  },
  dump: {
    heading: HEADINGS.configure,
    summary: 'the configuration of the account as a file: KPIs, users, assignments and the rest',
    load: async () => (await import('./commands/configuration/configuration.ts')).dump,
  },
  plan: {
    heading: HEADINGS.configure,
    summary: 'what applying a configuration would change',
    load: async () => (await import('./commands/configuration/configuration.ts')).plan,
  },
  apply: {
    heading: HEADINGS.configure,
    summary: 'make the account what a configuration says',
    load: async () => (await import('./commands/configuration/configuration.ts')).apply,
  },
  history: {
    heading: HEADINGS.configure,
    summary: 'what commands changed, the newest first',
    load: async () => (await import('./commands/undo/undo-command.ts')).history,
  },
  undo: {
    heading: HEADINGS.configure,
    summary: 'take back what a command changed, where nothing was changed since',
    load: async () => (await import('./commands/undo/undo-command.ts')).undo,
  },
  profiles: {
    heading: HEADINGS.run,
    summary: 'named places to talk to: an embedded or a remote service',
    load: async () => (await import('./commands/profiles/profiles.ts')).profiles,
  },
  doctor: {
    heading: HEADINGS.run,
    summary: 'what is set and from where, which service is used, and whether it works',
    load: async () => (await import('./commands/doctor/doctor.ts')).doctor,
  },
  api: {
    heading: HEADINGS.run,
    summary: 'one request of your own to the interface, with the credentials of the profile',
    load: async () => (await import('./commands/api.ts')).api,
  },
  serve: {
    heading: HEADINGS.run,
    summary: 'the bundled service over HTTP',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  service: {
    heading: HEADINGS.run,
    summary: "the operator's work on the bundled service",
    load: async () => (await import('./commands/service/service.ts')).service,
  },
  version: {
    heading: HEADINGS.run,
    summary: 'the versions of this program, of Node.js and of the store',
    load: async () => (await import('./commands/service/version.ts')).version,
  },
  completion: {
    heading: HEADINGS.start,
    summary: 'completion of commands, flags and names for a shell',
    load: async () => (await import('./commands/completion/completion.ts')).completion,
  },
}
