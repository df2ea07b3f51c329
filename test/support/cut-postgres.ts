import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** When to cut the connections: before what is sent reaches the database, or after, so that only its answer is lost. */
export type Cut = 'before' | 'after'

/** A way to a PostgreSQL that can be cut off. */
export type CutPostgres = {
  /** The URL of the database, through here. */
  readonly url: string
  /** Cuts all connections when something is sent for the nth time from now, and refuses new ones from then on. */
  readonly cutAt: (number: number, cut: Cut) => void
  /** Cuts all connections now, and refuses new ones from then on. */
  readonly cut: () => void
  /** Returns whether the connections were cut. */
  readonly isCut: () => boolean
  /** Lets connections through again. */
  readonly restore: () => void
} & AsyncDisposable

/** Opens a way to a PostgreSQL on this machine. */
export const cutPostgres = async (target: string): Promise<CutPostgres> => {
  const there = new URL(target)
  const sockets = new Set<Socket>()
  let plan: { left: number; readonly cut: Cut } | undefined
  let isCut = false
  const cutAll = (): void => {
    isCut = true
    plan = undefined
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const server = createServer({ noDelay: true }, (near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(there.port), there.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        near.destroy()
        far.destroySoon()
      })
    }
    far.pipe(near)
    near.on('data', (data: Buffer) => {
      if (!plan || (plan.left -= 1) > 0) return void far.write(data)
      if (plan.cut === 'before') return cutAll()
      // The database gets it, and nobody its answer.
      far.unpipe(near)
      sockets.delete(far)
      far.resume().end(data)
      cutAll()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutAt: (left, cut) => (plan = { left, cut }),
    cut: cutAll,
    isCut: () => isCut,
    restore: () => {
      plan = undefined
      isCut = false
    },
    [Symbol.asyncDispose]: async () => {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}
