import { escaped } from '../suite/xml.ts'

/** A value of a body before it has a format. Of a number there are the digits, as they are to be written. */
export type Node = null | boolean | string | Digits | readonly Node[] | Fields
export type Digits = { readonly digits: string }
export type Fields = { readonly fields: readonly Field[] }
export type Field = readonly [name: string, value: Node]

export const isList = (node: Node): node is readonly Node[] => Array.isArray(node)
export const isFields = (node: Node): node is Fields => typeof node === 'object' && node !== null && 'fields' in node

/** Writes a value as JSON: the same key as often as it is there, and digits as they are, also where that is no JSON. */
export const writeJson = (node: Node): string => {
  if (node === null || typeof node !== 'object') return JSON.stringify(node)
  if (isList(node)) return `[${node.map(writeJson).join(',')}]`
  if ('digits' in node) return node.digits
  return `{${node.fields.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(',')}}`
}

/** How a document in XML is written. */
export type XmlStyle = {
  readonly prolog: string
  readonly root: 'as described' | 'in other case' | 'another'
  /** The attributes of the root, and the prefix of all elements. */
  readonly namespace: string
  readonly prefix: string
  readonly text: 'escaped' | 'CDATA' | 'as it is'
  readonly epilog: string
}

const INSTANCE = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'
export const NAMESPACE = 'http://schemas.datacontract.org/2004/07/SimpleKPI.Application.Areas.Api.Models'

/** How clients write it that follow the description. */
export const PLAIN_XML: XmlStyle = {
  prolog: '<?xml version="1.0" encoding="utf-8"?>',
  root: 'as described',
  namespace: `xmlns="${NAMESPACE}" ${INSTANCE}`,
  prefix: '',
  text: 'escaped',
  epilog: '',
}

const rootOf = ({ root }: XmlStyle, described: string): string => {
  if (root === 'another') return 'Another'
  return root === 'in other case' ? described.toUpperCase() : described
}

const textIn = ({ text }: XmlStyle, value: string): string => {
  if (text === 'as it is') return value
  return text === 'CDATA' ? `<![CDATA[${value}]]>` : escaped(value)
}

/** Writes a value as a document in XML with the root that is described. */
export const writeXml = (protocol: XmlStyle, described: string, node: Node): string => {
  const element = (name: string, value: Node, attributes = ''): string => {
    const start = `${protocol.prefix}${name}${attributes}`
    return value === null ? `<${start} i:nil="true"/>` : `<${start}>${inside(value)}</${protocol.prefix}${name}>`
  }
  const inside = (value: Node): string => {
    if (typeof value !== 'object') return textIn(protocol, String(value))
    if (value === null) return ''
    if (isList(value)) return value.map((one) => element('KPIEntry', one)).join('')
    return 'digits' in value ? value.digits : value.fields.map(([name, one]) => element(name, one)).join('')
  }
  return `${protocol.prolog}${element(rootOf(protocol, described), node, ` ${protocol.namespace}`)}${protocol.epilog}`
}
