import { describe, expect, test } from 'vitest'
import { embeddedImporter } from '../support/import.ts'

/** Slips in a job, and the one fault that each is. */
const OF_JOB: readonly (readonly [what: string, text: string, fault: string])[] = [
  [
    'a wrong indent',
    'steps:\n  - import: a.csv\n   move_to: done\n',
    'line 3, column 4: this line is indented otherwise',
  ],
  ['an indent too far', 'steps:\n  - import: a.csv\n     move_to: done\n', 'line 3, column 6: this line is indented'],
  ['a part of a step at the top', 'steps:\n  - report:\non_failure: stop\n', 'line 3: on_failure is no part of a job'],
  ['a tab', 'steps:\n\t- report:\n', 'line 2, column 1: a tab stands at the beginning'],
  ['no colon', 'lock a\nsteps:\n  - report:\n', 'line 1, column 1: this line lacks a colon'],
  ['no colon behind steps', 'lock: a\nsteps\n  - report:\n', 'line 2, column 1: this line lacks a colon'],
  [
    'no colon in a step',
    'steps:\n  - report\n',
    'line 2: a step is a name with a colon and a blank: write "- report: …"',
  ],
  ['no blank in a step', 'steps:\n  - import:a.csv\n', 'line 2: a step is a name with a colon and a blank'],
  ['no blank behind a dash', 'steps:\n  -report:\n', 'line 1: steps must be a list, with one step at least'],
  ['no dash', 'steps:\n  report:\n', 'line 1: steps must be a list, with one step at least'],
  [
    'the same name twice',
    'lock: a\nlock: b\nsteps:\n  - report:\n',
    'line 2, column 1: lock stands here a second time',
  ],
  [
    'the same flag twice',
    'steps:\n  - report:\n    flags: { rows: true, rows: true }\n',
    'line 3, column 26: rows stands here a',
  ],
  ['a slip in steps', 'step:\n  - report:\n', 'line 1: step is no part of a job; did you mean steps?'],
  ['a slip in a kind', 'steps:\n  - chekc:\n', 'line 2: chekc is no step and no part of one; did you mean check?'],
  [
    'flags that are not below',
    'steps:\n  - report:\n    flags:\n    from: today\n    to: today\n',
    'line 3: flags must be names',
  ],
  ['a text for flags', 'steps:\n  - report:\n    flags: yesterday\n', 'line 3: flags must be names with values'],
  ['a list for a text', 'lock: [a]\nsteps:\n  - report:\n', 'line 1: lock is one text, and here is more'],
  [
    'a pattern without quotes',
    'steps:\n  - import: *.csv\n',
    'line 2, column 13: a text that begins with * needs quotes: "*.csv"',
  ],
  ['a date without quotes', 'steps:\n  - export: {date}.csv\n', 'line 2, column 19: this is behind the end'],
  ['a brace', 'steps:\n  - report:\n    flags: { from: today\n', 'line 3, column 12: { is opened here and not closed'],
  [
    'a quote',
    'steps:\n  - report:\n    flags: { from: "today }\n',
    'line 3, column 20: a quote is opened here and not closed',
  ],
  ['no choice', 'steps:\n  - report:\n    on_failure: go\n', 'line 3: on_failure must be one of stop, continue'],
]

describe('a job with one slip has one fault, before anything runs:', () => {
  test.each(OF_JOB)('%s', async (_what, text, fault) => {
    await using importer = await embeddedImporter()
    importer.write('job.yaml', text)
    const { code, stdout, stderr } = await importer.kpi('run', 'job.yaml')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.trimEnd().split('\n').slice(1)).toEqual([expect.stringMatching(/^ {2}line /)])
    expect(stderr).toContain(fault)
  })
})

describe('a configuration with one slip has one fault:', () => {
  test.each([
    ['a wrong indent', 'kpis:\n  - name: Visits\n   unit: x\n', 'line 3, column 4: this line is indented otherwise'],
    ['a tab', 'kpis:\n\t- name: Visits\n', 'line 2, column 1: a tab'],
    ['no colon', 'kpis:\n  - name: Visits\n    frequency D\n', 'line 3, column 5: this line lacks a colon'],
    ['the same name twice', 'units:\n  - name: x\n    name: y\n', 'line 3, column 5: name stands here a second time'],
    ['a wrong type', 'kpis: Visits\n', 'line 1: kpis must be a list'],
    ['a quote', 'kpis:\n  - name: "Visits\n', 'line 2, column 11: a quote is opened here'],
  ])('%s', async (_what, text, fault) => {
    await using importer = await embeddedImporter()
    importer.write('conf.yaml', text)
    const { code, stderr } = await importer.kpi('plan', 'conf.yaml')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^kpi: conf\.yaml, line [^\n]*\n$/)])
    expect(stderr).toContain(fault)
  })
})

describe('a file of settings with one slip has one fault:', () => {
  test.each([
    ['a wrong indent', 'profile: acme\n output: json\n', 'line 2, column 2: this line is indented otherwise'],
    ['a tab', 'output:\n\tjson: 1\n', 'line 2, column 1: a tab'],
    ['no colon', 'output: json\nprofile acme\n', 'line 2, column 1: this line lacks a colon'],
    ['the same name twice', 'output: json\noutput: csv\n', 'line 2, column 1: output stands here a second time'],
    ['a quote', 'output: "json\n', 'line 1, column 9: a quote is opened here'],
  ])('%s', async (_what, text, fault) => {
    await using importer = await embeddedImporter()
    importer.write('kpi.yaml', text)
    const { code, stderr } = await importer.kpi('users', 'list')
    expect([code, stderr]).toEqual([2, expect.stringContaining(fault)])
    expect(stderr.match(/line \d+/g)).toHaveLength(1)
  })
})
