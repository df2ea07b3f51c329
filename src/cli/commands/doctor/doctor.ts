import { addExamples } from '../../args/examples.ts'
import type { Register } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { printsList } from '../../output/printed.ts'
import { countOf } from '../../output/text.ts'
import { secretsRemover } from '../../stderr.ts'
import { type Finding, findings } from './finding.ts'
import { findFolders } from './find-folders.ts'
import { findService } from './find-service.ts'
import { findSettings } from './find-settings.ts'

/** Returns a finding as a row; errors that nobody expected may repeat what they know, so secrets are removed. */
const rowOf = (
  { name, value, from, state, advice }: Finding,
  hide: (text: string) => string,
): Record<string, string | null> => ({
  name,
  value: value && hide(value),
  from: from && hide(from),
  state,
  advice: advice && hide(advice),
})

/** Returns what was found, each fault once: one of the project file or the profile stops several looks. */
const withoutRepeats = (found: readonly Finding[]): Finding[] => {
  const faults = found.filter(({ state }) => state === 'fault')
  return found.filter((one) => one.state !== 'fault' || one === faults.find(({ advice }) => advice === one.advice))
}

/** Returns what is said where there is no fault: how many warnings there are, and of what. */
const wellWords = (found: readonly Finding[]): string => {
  const warned = found.filter(({ state }) => state === 'warning').map(({ name }) => name)
  return warned.length === 0
    ? 'nothing is wrong'
    : `no fault, and ${countOf(warned.length, 'warning')}: ${warned.join(', ')}; the column advice says what to do`
}

/**
 * Registers `kpi doctor`: shows what is set and from where, and whether it works. Ends with the exit code that commands
 * would have where something is wrong.
 */
export const doctor: Register = (group, act) => {
  addExamples(group, 'doctor', 'doctor -o json')
  printsList(group, findings)
  act(group, async (cli) => {
    const found = withoutRepeats([...findSettings(cli), ...(await findService(cli)), ...(await findFolders(cli))])
    const hide = secretsRemover(cli.io, [])
    const rows = found.map((one) => rowOf(one, hide))
    await cli.printMany(findings.shown, rows)
    const faults = found.filter(({ state }) => state === 'fault')
    const [first] = faults
    if (!first) return cli.note(wellWords(found))
    const said = faults.map(({ name, advice }) => `${name}: ${advice}`)
    throw new IncompleteRun(first.exit ?? EXIT.failed, 'problems', [
      `${countOf(faults.length, 'fault')} found`,
      ...said,
    ])
  })
}
