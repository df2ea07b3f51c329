import fs, { statSync } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Preloaded into a process, says at its end how many files it loaded as modules, or for the words of dates, and how many bytes these have: the last line
 * of standard error.
 */

const files = new Set()
registerHooks({
  load: (url, context, next) => {
    if (url.startsWith('file:')) files.add(fileURLToPath(url))
    return next(url, context)
  },
})
// The words of dates are a part of the program that is no module.
const { openSync } = fs
fs.openSync = (path, ...given) => {
  if (basename(String(path)) === 'calendar-words.json') files.add(String(path))
  return openSync(path, ...given)
}
syncBuiltinESMExports()
process.on('exit', () => {
  const bytes = [...files].reduce((sum, file) => sum + statSync(file).size, 0)
  process.stderr.write(`\n${JSON.stringify({ modules: files.size, bytes })}`)
})
