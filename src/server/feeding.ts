import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createLine } from './line.ts'

/** Data with more lines than this may be many requests, headers or pieces of a body: it is parsed a slice at a time. */
const MOST_LINES = 40
const SLICE_BYTES = 2048
/** How long slices of one connection are parsed before others have their turn. */
const STRETCH_MS = 1
/** While so many requests of a connection wait for their answers, no more of it is parsed. */
const MOST_WAITING = 32
const LINE_END = '\n'

/** Hands what connections send to the parser of HTTP. */
export type Feeding = {
  /** To be told that a request of a connection has been answered. */
  readonly goOn: (socket: Socket) => void
}

/** What there is to know of a connection. */
export type Fed = {
  /** Returns how many requests of it wait for their answers. */
  readonly waiting: (socket: Socket) => number
  /** Returns whether a body is coming in that has to be read before more of it is taken. */
  readonly isBodyFull: (socket: Socket) => boolean
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
 * Stands between the connections of a server and its parser, which would parse all that has come at once, however many
 * requests that is: it gets a slice of a connection at a time, connections take turns, and others have theirs in between. A
 * connection whose requests wait for their answers is not read on. To be called before the server listens.
 */
export const feedInSlices = (server: Server, { waiting, isBodyFull }: Fed, clock: () => number): Feeding => {
  const line = createLine()
  const feeds = new WeakMap<Socket, () => void>()
  let isServing = false

  const serve = (): void => {
    isServing = false
    line.next(() => true)?.()
    serveLater()
  }
  const serveLater = (): void => {
    if (isServing || line.size() === 0) return
    isServing = true
    setImmediate(serve)
  }
  let connections = 0
  const feed = (socket: Socket): void => {
    const parse = takeParser(socket)
    if (!parse) return
    const name = String((connections += 1))
    let [rest, isInLine]: [Buffer, boolean] = [Buffer.alloc(0), false]
    const isReady = (): boolean => waiting(socket) < MOST_WAITING && !socket.writableNeedDrain
    const mayParse = (): boolean => rest.length > 0 && !socket.destroyed && isReady()
    const parseSlices = (): void => {
      isInLine = false
      const startedAt = clock()
      while (mayParse() && clock() - startedAt < STRETCH_MS) {
        const slice = rest.subarray(0, SLICE_BYTES)
        rest = rest.subarray(slice.length)
        parse(slice)
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
      line.add(name, parseSlices)
      serveLater()
    }
    feeds.set(socket, goOn)
    socket.on('drain', goOn)
    // The server resumes whenever it wants more of a body; what is here comes first.
    socket.on('resume', () => {
      if (rest.length > 0 || !isReady()) socket.pause()
    })
    socket.on('data', (data: Buffer) => {
      if (rest.length === 0 && isReady() && !hasManyLines(data)) {
        parse(data)
        return
      }
      socket.pause()
      rest = rest.length === 0 ? data : Buffer.concat([rest, data])
      goOn()
    })
  }
  server.on('connection', (socket: Socket) => feed(socket))
  server.on('secureConnection', (socket: Socket) => feed(socket))
  return { goOn: (socket) => feeds.get(socket)?.() }
}
