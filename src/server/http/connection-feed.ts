import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../service/limits/login-throttle.ts'
import { createFairQueue, createTakeNewestAndOldest } from '../queues/fair-queue.ts'
import { createSliceRunner, createTurnTimer } from '../queues/time-slices.ts'
import type { Connections } from './connections.ts'

/** Tells what is parsed a slice at a time: data of more lines may be many requests, headers or pieces of a body. */
const MOST_LINES = 40
const SLICE_BYTES = 128
/** Bounds how long slices of one connection are parsed, and what comes in on all, before others have their turn. */
const STRETCH_MS = 1
const TURN_MS = 4
const LINE_END = '\n'

/** Hands what connections send to the parser of HTTP. */
export type ConnectionFeed = {
  /** Continues with a connection of which a request has been answered. */
  readonly goOn: (socket: Socket) => void
  /** Takes note of whose a connection is. */
  readonly noteAccount: (socket: Socket, account: string) => void
}

const hasManyLines = (data: Buffer): boolean => {
  let lines = 0
  for (let at = data.indexOf(LINE_END); at >= 0; at = data.indexOf(LINE_END, at + 1)) {
    lines += 1
    if (lines > MOST_LINES) return true
  }
  return false
}

type Parse = (data: Buffer) => void

/** Takes the listener off a connection that hands what comes in to the parser. */
const takeParser = (socket: Socket): Parse | undefined => {
  const [listener] = socket.listeners('data')
  if (!listener) return undefined
  const parse: Parse = (data) => void Reflect.apply(listener, socket, [data])
  // It is the only one.
  socket.removeAllListeners('data')
  return parse
}

/**
 * Feeds the connections of a server to its parser in slices, as the parser would parse all that has come at once,
 * however many requests that is; others have their turns in between. Accounts take turns as far as the account of a
 * connection is known, networks with all others, and new connections apart from those that were answered before. A
 * connection is not read on while a complete request of it waits for its answer. It must be called before the server
 * listens.
 */
export const feedConnections = (
  server: Server,
  { runningOn, isBodyFull }: Pick<Connections, 'runningOn' | 'isBodyFull'>,
  clock: () => number,
): ConnectionFeed => {
  const line = createFairQueue(createTakeNewestAndOldest())
  const isOver = createTurnTimer(clock)
  const serve = createSliceRunner(
    () => line.next(() => true),
    () => isOver(TURN_MS),
  )
  const feeds = new WeakMap<Socket, () => void>()
  const holders = new WeakMap<Socket, string>()
  const networkOfSocket = ({ remoteAddress = '' }: Socket): string => networkOf(remoteAddress)

  const feed = (socket: Socket): void => {
    const parse = takeParser(socket)
    if (!parse) return
    let [rest, isInLine, isHeldUp]: [Buffer, boolean, boolean] = [Buffer.alloc(0), false, false]
    const isReady = (): boolean => {
      const last = runningOn(socket).at(-1)
      return !isHeldUp && (!last || !last.request.complete)
    }
    const hand = (data: Buffer): void => {
      const before = runningOn(socket).at(-1)
      parse(data)
      // Node.js takes no data any more behind a request that came while answers were not taken.
      if (socket.writableNeedDrain && runningOn(socket).at(-1) !== before) isHeldUp = true
    }
    const mayParse = (): boolean => rest.length > 0 && !socket.destroyed && isReady()
    const parseSlices = (): void => {
      isInLine = false
      const startedAt = clock()
      while (mayParse() && clock() - startedAt < STRETCH_MS) {
        const slice = rest.subarray(0, SLICE_BYTES)
        rest = rest.subarray(slice.length)
        hand(slice)
      }
      goOn()
    }
    const goOn = (): void => {
      if (isInLine || socket.destroyed || !isReady()) return
      if (rest.length === 0) {
        // Once the body is read, the server itself goes on.
        if (socket.isPaused() && !isBodyFull(socket)) socket.resume()
        return
      }
      isInLine = true
      line.add(holders.get(socket) ?? `new from ${networkOfSocket(socket)}`, parseSlices)
      serve()
    }
    feeds.set(socket, goOn)
    socket.on('drain', () => {
      isHeldUp = false
      goOn()
    })
    // Parse what is here before more is read, though the server resumes whenever it wants more of a body.
    socket.on('resume', () => {
      if (rest.length > 0 || !isReady()) socket.pause()
    })
    socket.on('data', (data: Buffer) => {
      if (rest.length === 0 && isReady() && !hasManyLines(data) && line.size() === 0 && !isOver(TURN_MS)) {
        hand(data)
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
      if (!holders.has(socket)) holders.set(socket, `stranger from ${networkOfSocket(socket)}`)
      feeds.get(socket)?.()
    },
    noteAccount: (socket, account) => void holders.set(socket, `account ${account}`),
  }
}
