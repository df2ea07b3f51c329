import { resource, type Stored } from '../schema.ts'

export const icon = resource({
  name: 'icon',
  plural: 'icons',
  title: 'icon',
  root: 'KPIIcon',
  path: '/kpiicons',
  verbs: ['list', 'get'],
  brief: ['id', 'name'],
  fields: {
    id: { kind: 'int16', about: 'Id of the icon', readOnly: true },
    name: { kind: 'text', about: 'Name of the icon', readOnly: true, example: 'Chart' },
  },
})

export type Icon = Stored<typeof icon>

const NAMES =
  'Chart, Line chart, Bar chart, Pie chart, Gauge, Target, Trophy, Star, Flag, Thumbs up, Money, Coins, Credit card, Bank, Invoice, Basket, Tag, Package, Truck, Factory, Person, People, Handshake, Phone, E-mail, Calendar, Clock, Checklist, Document, Gear, Computer, Globe, House, Heart, Leaf, Light bulb, Lightning, Shield, Warning, Wrench'

/** The icons that there are; ids count from 1. */
export const icons: readonly Icon[] = NAMES.split(', ').map((name, index) => ({ id: index + 1, name }))
