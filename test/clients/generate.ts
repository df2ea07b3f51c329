import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documents, headLine } from './documents.ts'

/** The generator in its default settings. It needs the JavaScript TypeScript, which this project does not install. */
const GENERATE = ['--yes', '--package=openapi-typescript@7.13.0', '--package=typescript@5.9.3', 'openapi-typescript']

const folder = mkdtempSync(join(tmpdir(), 'kpi-clients-'))
try {
  for (const [name, document] of Object.entries(documents)) {
    const [from, to] = [join(folder, `${name}.json`), join(folder, `${name}.ts`)]
    writeFileSync(from, document)
    execFileSync('npx', [...GENERATE, from, '--output', to], { cwd: folder, stdio: 'inherit' })
    writeFileSync(join(import.meta.dirname, `${name}.ts`), `${headLine(document)}\n${readFileSync(to, 'utf8')}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
