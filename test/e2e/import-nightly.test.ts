import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Face } from '../../src/server/wire.ts'
import { ROOT } from '../support/documents.ts'
import { heldIn, remoteImporter } from '../support/import.ts'
import { startProgram } from '../support/process.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nBob,Sales,2026-03-01,2\n'

/** A service that keeps what is asked until it is let go, and says when it was asked first. */
const holding = () => {
  const [came, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wrap =
    (face: Face): Face =>
    async (request) => {
      if (!request.target.endsWith('/kpientries/list')) return face(request)
      came.resolve()
      await leave.promise
      return face(request)
    }
  return { wrap, came: came.promise, letGo: () => leave.resolve() }
}

test('the nightly job that is told to stop, with all of its processes, ends once what was sent is answered', async () => {
  const { wrap, came, letGo } = holding()
  await using importer = await remoteImporter({ wrap })
  const { folder, world } = importer
  cpSync(join(ROOT, 'examples/nightly/run.sh'), folder.in('run.sh'))
  for (const name of ['inbox', 'bin']) mkdirSync(folder.in(name))
  symlinkSync(join(ROOT, 'bin/kpi.js'), folder.in('bin/kpi'))
  importer.write('inbox/a.csv', FILE)
  importer.write('inbox/b.csv', FILE.replaceAll('03-01', '03-02'))
  const env = { ...(world.env as Record<string, string>), PATH: `${folder.in('bin')}:${process.env['PATH']}` }
  const { child, ended } = startProgram(folder, ['setsid', 'sh', 'run.sh'], env)
  await came
  process.kill(-(child.pid ?? NaN), 'SIGTERM')
  letGo()
  expect(await ended).toMatchObject({
    code: 6,
    stderr: 'kpi: not begun: inbox/b.csv; run the same command to continue\n',
  })
  expect(await heldIn(importer)).toHaveLength(2)
  expect([existsSync(folder.in('inbox/a.csv')), existsSync(folder.in('done/a.csv'))]).toEqual([true, false])
  const again = startProgram(folder, ['setsid', 'sh', 'run.sh'], env)
  expect(await again.ended).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(folder.in('done/b.csv'))).toBe(true)
  expect(await heldIn(importer)).toHaveLength(4)
})
