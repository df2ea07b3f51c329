import { statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/*
 * Preloaded into a process, says at its end which files it loaded as modules, and how many bytes these have: the last line
 * of standard error.
 */

const files = new Set()
registerHooks({
  load: (url, context, next) => {
    if (url.startsWith('file:')) files.add(fileURLToPath(url))
    return next(url, context)
  },
})
process.on('exit', () => {
  const bytes = [...files].reduce((sum, file) => sum + statSync(file).size, 0)
  process.stderr.write(`\n${JSON.stringify({ modules: files.size, bytes })}`)
})
