import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { FileBytes } from '../source/inspect.ts'

/** Bounds the characters of a text or a tag: a cell has at most a million. */
const LONGEST_TOKEN = 1 << 22
/** Bounds how deep elements are nested. */
const DEEPEST = 200

/** Holds what is done with the parts of a document; names come without their prefixes. */
export type XmlHandlers = {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly close: (name: string) => void
  readonly text: (text: string) => void
}

/** Returns a name without its prefix, which any program may choose. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

const decoderOf = (first: Buffer): InstanceType<typeof TextDecoder> => {
  const isWide = (first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff)
  return new TextDecoder(isWide ? (first[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8', { fatal: true })
}

/** Creates a parser that refuses a DOCTYPE, and so all entities but those of XML itself. */
const createParser = ({ open, close, text }: XmlHandlers, onToken: () => void): SaxesParser => {
  const parser = new SaxesParser()
  let depth = 0
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new Error('it has a DOCTYPE, which no workbook has')
  })
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    onToken()
    depth += 1
    if (depth > DEEPEST) throw new Error('its elements are nested too deep')
    open(localName(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    onToken()
    depth -= 1
    close(localName(name))
  })
  const addText = (part: string): void => {
    onToken()
    text(part)
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('comment', onToken)
  parser.on('processinginstruction', onToken)
  return parser
}

/**
 * Reads a document as it is unpacked, in constant memory; `name` and `part` name it in errors. `drain` takes what the
 * handlers have collected, before more is read, and `isEnough` tells that the rest need not be read.
 */
export const readXml = async (
  content: FileBytes,
  { name, part }: { readonly name: string; readonly part: string },
  handlers: XmlHandlers,
  drain?: () => Promise<void>,
  isEnough?: () => boolean,
): Promise<void> => {
  let unfinished = 0
  const parser = createParser(handlers, () => {
    unfinished = 0
  })
  let decoder: InstanceType<typeof TextDecoder> | undefined
  try {
    for await (const chunk of content) {
      decoder ??= decoderOf(chunk)
      unfinished += chunk.length
      if (unfinished > LONGEST_TOKEN + chunk.length) throw new Error('it has a text that does not end')
      parser.write(decoder.decode(chunk, { stream: true }))
      await drain?.()
      if (isEnough?.()) return
    }
    parser.write(decoder?.decode() ?? '')
    parser.close()
    await drain?.()
  } catch (error) {
    if (error instanceof KpiError || error instanceof Aborted) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new KpiError('malformed', `cannot read ${name}: ${part} in it is damaged: ${why}; save the workbook again`, {
      cause: error,
    })
  }
}
