import type { Register } from './cli.ts'

/** Describes a group of commands, which is loaded when one of them is used. */
type Group = { readonly summary: string; readonly load: () => Promise<Register> }

/** Lists all groups, in the order in which help shows them. */
export const commandGroups: Readonly<Record<string, Group>> = {
  demo: {
    summary: 'a sample account with real data, and its report',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  kpis: {
    summary: 'KPI definitions: what is measured, how often, which way is better',
    load: async () => (await import('./commands/definitions.ts')).kpis,
  },
  users: {
    summary: 'people who report values; lock those who leave, so that their history stays',
    load: async () => (await import('./commands/definitions.ts')).users,
  },
  groups: {
    summary: 'groups, such as regions or teams, that users and their values belong to',
    load: async () => (await import('./commands/definitions.ts')).groups,
  },
  'group-items': {
    summary: 'the items of groups, such as North and South',
    load: async () => (await import('./commands/definitions.ts')).groupItems,
  },
  'breakdown-items': {
    summary: 'what values are broken down by: the group items of the newer interface, and people; archive old ones',
    load: async () => (await import('./commands/definitions.ts')).breakdownItems,
  },
  assign: {
    summary: 'KPIs and group items of users',
    load: async () => (await import('./commands/assign/assign.ts')).assign,
  },
  entries: {
    summary: 'values: list, add, delete, import from a file, export to one',
    load: async () => (await import('./commands/entries/entries.ts')).entries,
  },
  report: {
    summary: 'a report of where each KPI stands',
    load: async () => (await import('./commands/report/report.ts')).report,
  },
  check: {
    summary: 'ends with 10 where a target is missed or a value is missing',
    load: async () => (await import('./commands/report/check.ts')).checkTargets,
  },
  categories: {
    summary: 'categories of KPIs',
    load: async () => (await import('./commands/definitions.ts')).categories,
  },
  units: { summary: 'units of measure', load: async () => (await import('./commands/definitions.ts')).units },
  frequencies: {
    summary: 'how often KPIs are measured',
    load: async () => (await import('./commands/definitions.ts')).frequencies,
  },
  icons: { summary: 'icons of KPIs', load: async () => (await import('./commands/definitions.ts')).icons },
  dump: {
    summary: 'the configuration of the account as a file: KPIs, users, assignments and the rest',
    load: async () => (await import('./commands/configuration/configuration.ts')).dump,
  },
  plan: {
    summary: 'what applying a configuration would change',
    load: async () => (await import('./commands/configuration/configuration.ts')).plan,
  },
  apply: {
    summary: 'make the account what a configuration says',
    load: async () => (await import('./commands/configuration/configuration.ts')).apply,
  },
  profiles: {
    summary: 'named places to talk to: an embedded or a remote service',
    load: async () => (await import('./commands/profiles/profiles.ts')).profiles,
  },
  api: {
    summary: 'one request of your own to the interface, with the credentials of the profile',
    load: async () => (await import('./commands/api.ts')).api,
  },
  serve: { summary: 'the bundled service over HTTP', load: async () => (await import('./commands/serve.ts')).serve },
  service: {
    summary: "the operator's work on the bundled service",
    load: async () => (await import('./commands/service/service.ts')).service,
  },
}
