import { createApp } from '../../../src/server/app.ts'
import { classicFace } from '../../../src/server/classic.ts'
import { listen } from '../../../src/server/listen.ts'
import type { Db } from '../../../src/store/db.ts'
import type { Database } from '../databases.ts'
import { NOW } from '../io.ts'
import { type Service, startService } from '../service.ts'
import type { Asker } from './ask.ts'
import type { Place } from './row.ts'
import { emptyAccount, neighbour, worldOf } from './world.ts'

/** Everybody whom the suite asks, on one database. */
export type Places = Readonly<Record<Place, Asker>> & {
  /** A fresh account that holds what every account of the suite holds. */
  readonly fresh: () => Promise<Asker>
} & AsyncDisposable

const onStore = (service: Service, db: Db): Service => ({
  ...service,
  db,
  face: classicFace({
    app: createApp(db),
    db,
    version: '1',
    now: () => NOW / 1000,
    requestId: () => 'without-store',
    onError: () => undefined,
  }),
})

const withoutEntries = async (service: Service): Promise<Service> => {
  const world = await worldOf(service)
  await world.db.write((tx) => tx.run('alter table entries rename to gone'))
  return world
}

/** Starts services on a database of a kind: one in order, one with a table missing, one without its store. */
export const openPlaces = async (make: () => Promise<Database>): Promise<Places> => {
  const stack = new AsyncDisposableStack()
  const start = async (database?: Database): Promise<Service> =>
    stack.use(await startService(NOW, database ? () => Promise.resolve(database) : make))
  const at = async (service: Service): Promise<Asker> => {
    const server = await listen(service.face, '127.0.0.1', 0)
    stack.defer(server.close)
    return { service, url: server.url }
  }
  const { service: main, url } = await at(await start())
  const lost = await make()
  const unavailable = await start(lost)
  const held = await lost.openUnavailable()
  stack.defer(held.close)
  await neighbour(main)
  return {
    usual: { service: await worldOf(main), url },
    off: { service: await emptyAccount(main, 'off'), url },
    individual: { service: await emptyAccount(main, 'individual'), url },
    broken: await at(await withoutEntries(await start())),
    unavailable: await at(onStore(unavailable, held)),
    fresh: async () => ({ service: await worldOf(main), url }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
