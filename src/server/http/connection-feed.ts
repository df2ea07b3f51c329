import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../service/limits/login-throttle.ts'
import { createFairQueue, createTakeNewestAndOldest } from '../queues/fair-queue.ts'
import { createSliceRunner, createTurnTimer } from '../queues/time-slices.ts'
import type { Connections } from './connections.ts'

/** Sets when to parse in slices: a packet of more lines may hold many requests, headers or chunks of a body. */
const MAX_LINES = 40
const SLICE_BYTES = 128
/** Bounds how long to parse one connection at a time, and all connections in one turn of the event loop. */
const CONNECTION_MS = 1
const TURN_MS = 4
const LINE_END = '\n'

/** Feeds the input of connections to Node's HTTP parser. */
export type ConnectionFeed = {
  /** Goes on with a connection after a request on it was answered. */
  readonly goOn: (socket: Socket) => void
  /** Notes the account of a connection. */
  readonly noteAccount: (socket: Socket, account: string) => void
}

const hasManyLines = (data: Buffer): boolean => {
  let lines = 0
  for (let at = data.indexOf(LINE_END); at >= 0; at = data.indexOf(LINE_END, at + 1)) {
    lines += 1
    if (lines > MAX_LINES) return true
  }
  return false
}

type Parse = (data: Buffer) => void

/** Removes the listener of a connection that feeds Node's parser, and returns it. */
const takeParser = (socket: Socket): Parse | undefined => {
  const [listener] = socket.listeners('data')
  if (!listener) return undefined
  const parse: Parse = (data) => void Reflect.apply(listener, socket, [data])
  // There is no other listener.
  socket.removeAllListeners('data')
  return parse
}

/**
 * Feeds Node's parser 128 bytes at a time if a packet may hold many requests, and lets other work run in between; by
 * itself, Node.js would parse all of the packet at once. Connections take turns by account, if it is known, else by
 * network; new connections take turns apart from those that were answered before. A connection pauses while a complete
 * request on it waits for its answer. Call it before the server listens.
 */
export const feedConnections = (
  server: Server,
  { runningOn, isBodyFull }: Pick<Connections, 'runningOn' | 'isBodyFull'>,
  clock: () => number,
): ConnectionFeed => {
  const queue = createFairQueue(createTakeNewestAndOldest())
  const isOver = createTurnTimer(clock)
  const serve = createSliceRunner(
    () => queue.next(() => true),
    () => isOver(TURN_MS),
  )
  const feeds = new WeakMap<Socket, () => void>()
  const accounts = new WeakMap<Socket, string>()
  const networkOfSocket = ({ remoteAddress = '' }: Socket): string => networkOf(remoteAddress)

  const feed = (socket: Socket): void => {
    const parse = takeParser(socket)
    if (!parse) return
    let [rest, isQueued, isHeldUp]: [Buffer, boolean, boolean] = [Buffer.alloc(0), false, false]
    const isReady = (): boolean => {
      const last = runningOn(socket).at(-1)
      return !isHeldUp && (!last || !last.request.complete)
    }
    const parseNow = (data: Buffer): void => {
      const before = runningOn(socket).at(-1)
      parse(data)
      // If the client does not read its answers, Node.js accepts no data after the next request: wait for `drain`.
      if (socket.writableNeedDrain && runningOn(socket).at(-1) !== before) isHeldUp = true
    }
    const mayParse = (): boolean => rest.length > 0 && !socket.destroyed && isReady()
    const parseSlices = (): void => {
      isQueued = false
      const startedAt = clock()
      while (mayParse() && clock() - startedAt < CONNECTION_MS) {
        const slice = rest.subarray(0, SLICE_BYTES)
        rest = rest.subarray(slice.length)
        parseNow(slice)
      }
      goOn()
    }
    const goOn = (): void => {
      if (isQueued || socket.destroyed || !isReady()) return
      if (rest.length === 0) {
        // If a body fills its buffer, the server resumes the socket once the handler has read from it.
        if (socket.isPaused() && !isBodyFull(socket)) socket.resume()
        return
      }
      isQueued = true
      queue.add(accounts.get(socket) ?? `new from ${networkOfSocket(socket)}`, parseSlices)
      serve()
    }
    feeds.set(socket, goOn)
    socket.on('drain', () => {
      isHeldUp = false
      goOn()
    })
    // The server resumes the socket when it wants more of a body: pause it again until the rest is parsed.
    socket.on('resume', () => {
      if (rest.length > 0 || !isReady()) socket.pause()
    })
    socket.on('data', (data: Buffer) => {
      if (rest.length === 0 && isReady() && !hasManyLines(data) && queue.size() === 0 && !isOver(TURN_MS)) {
        parseNow(data)
        return
      }
      socket.pause()
      rest = rest.length === 0 ? data : Buffer.concat([rest, data])
      goOn()
    })
  }
  server.on('connection', feed)
  server.on('secureConnection', feed)
  return {
    goOn: (socket) => {
      if (!accounts.has(socket)) accounts.set(socket, `answered from ${networkOfSocket(socket)}`)
      feeds.get(socket)?.()
    },
    noteAccount: (socket, account) => void accounts.set(socket, `account ${account}`),
  }
}
