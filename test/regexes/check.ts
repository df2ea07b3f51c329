import { attackOn } from './judge.ts'
import { findRegexes } from './sources.ts'

/**
 * Refuses regular expressions that take some texts more time than their length (`npm run regexes`): most of them see
 * texts of strangers.
 */
const found = await findRegexes()
const faults = found.flatMap(({ file, line, source, flags }) => {
  const attack = attackOn(source, flags)
  return attack === undefined ? [] : [`src/${file}:${line} /${source}/${flags} is not linear: ${attack}`]
})
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''))
if (found.length === 0 || faults.length > 0) process.exitCode = 1
