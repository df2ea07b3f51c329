import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { ROOT } from '../support/documents.ts'
import { heldIn, type Importer, remoteImporter } from '../support/import.ts'
import { startProgram } from '../support/process.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nBob,Sales,2026-03-01,2\n'

/** A service that keeps what is asked until it is let go, and says when it was asked first. */
const holding = () => {
  const [came, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wrap =
    (handler: Handler): Handler =>
    async (request) => {
      if (!request.target.endsWith('/kpientries/list')) return handler(request)
      came.resolve()
      await leave.promise
      return handler(request)
    }
  return { wrap, came: came.promise, letGo: () => leave.resolve() }
}

/** A folder with the job as it stands, and what runs it. */
const jobIn = ({ folder, world }: Importer) => {
  cpSync(join(ROOT, 'examples/nightly/run.sh'), folder.in('run.sh'))
  for (const name of ['inbox', 'bin']) mkdirSync(folder.in(name))
  symlinkSync(join(ROOT, 'bin/kpi.js'), folder.in('bin/kpi'))
  const env = { ...(world.env as Record<string, string>), PATH: `${folder.in('bin')}:${process.env['PATH']}` }
  return {
    start: () => startProgram(folder, ['setsid', 'sh', 'run.sh'], env),
    inbox: () => readdirSync(folder.in('inbox')).toSorted(),
    /** The files that are done, night by night. */
    done: () =>
      readdirSync(folder.in('done'))
        .toSorted()
        .map((night) => readdirSync(folder.in(`done/${night}`)).toSorted()),
  }
}

test('the nightly job that is told to stop, with all of its processes, ends once what was sent is answered', async () => {
  const { wrap, came, letGo } = holding()
  await using importer = await remoteImporter({ wrap })
  const { start, inbox, done } = jobIn(importer)
  importer.write('inbox/a.csv', FILE)
  importer.write('inbox/b.csv', FILE.replaceAll('03-01', '03-02'))
  const { child, ended } = start()
  await came
  process.kill(-(child.pid ?? NaN), 'SIGTERM')
  letGo()
  expect(await ended).toMatchObject({
    code: 6,
    stderr: 'not started: inbox/b.csv; the next run continues with it\n',
  })
  expect(await heldIn(importer)).toHaveLength(2)
  expect([inbox(), done()]).toEqual([['b.csv'], [['a.csv']]])
  expect(await start().ended).toMatchObject({ code: 0, stderr: '' })
  expect([inbox(), done().flat()]).toEqual([[], ['a.csv', 'b.csv']])
  expect(await heldIn(importer)).toHaveLength(4)
})

test('the nightly job begins no file once its time is up', async () => {
  await using importer: Importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.target.endsWith('/kpientries/list')) importer.write('late', '')
      return handler(request)
    },
  })
  const { start, inbox } = jobIn(importer)
  const clock = '#!/bin/sh\ncase $1 in +%s) [ -e late ] && echo 90000 || echo 1000 ;; *) echo night ;; esac\n'
  importer.write('bin/date', clock)
  chmodSync(importer.folder.in('bin/date'), 0o755)
  importer.write('inbox/a.csv', FILE)
  importer.write('inbox/b.csv', FILE)
  expect(await start().ended).toMatchObject({
    code: 6,
    stderr: 'not started: inbox/b.csv; the next run continues with it\n',
  })
  expect(inbox()).toEqual(['b.csv'])
})

test('a file that cannot be read keeps no other of the night from being loaded', async () => {
  await using importer = await remoteImporter()
  const { start, inbox, done } = jobIn(importer)
  importer.write('inbox/a.csv', `${FILE}Bob,Sales,2026-03-03,x\n`)
  importer.write('inbox/b.csv', 'who,what,when\nBob,Sales,2026-03-01\n')
  importer.write('inbox/Web2.CSV', FILE.replaceAll('03-01', '03-02'))
  const { code, stderr } = await start().ended
  expect([code, stderr]).toEqual([1, expect.stringContaining('\ninbox/b.csv stays in inbox/: exit code 1\n')])
  expect(stderr).toContain('it is in inbox/a.rejects.csv ')
  expect([inbox(), done()]).toEqual([['a.rejects.csv', 'b.csv'], [['Web2.CSV', 'a.csv']]])
  expect(await heldIn(importer)).toHaveLength(4)
})

test('files of other nights stay, with their rejects, whatever tonight brings under their names', async () => {
  await using importer = await remoteImporter()
  const { start, inbox, done } = jobIn(importer)
  // Each night has a date of its own.
  importer.write('bin/date', '#!/bin/sh\ncase $1 in +%s) echo 1000 ;; *) cat tonight ;; esac\n')
  chmodSync(importer.folder.in('bin/date'), 0o755)
  for (const night of ['1', '2', '3']) {
    importer.write('tonight', night)
    importer.write('inbox/a.csv', `${FILE}Bob,Sales,2026-03-03,x${night}\n`)
    expect((await start().ended).code).toBe(3)
  }
  expect(inbox()).toEqual(['a.rejects.1.csv', 'a.rejects.2.csv', 'a.rejects.csv'])
  expect(done()).toEqual([['a.csv'], ['a.csv'], ['a.csv']])
  expect(await start().ended).toMatchObject({ code: 0, stderr: '' })
})

test('a key that is refused ends the night at the first file', async () => {
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      const answer = await handler(request)
      return request.target.includes('/api/') ? { ...answer, status: 401 } : answer
    },
  })
  const { start, inbox } = jobIn(importer)
  importer.write('inbox/a.csv', FILE)
  importer.write('inbox/b.csv', FILE)
  const { code, stderr } = await start().ended
  expect([code, stderr]).toEqual([4, expect.not.stringContaining('b.csv')])
  expect(inbox()).toEqual(['a.csv', 'b.csv'])
})
