import type { Frequency } from '../period.ts'
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

type Icon = Stored<typeof icon>

const NAMES =
  'Chart, Line chart, Bar chart, Pie chart, Gauge, Target, Trophy, Star, Flag, Thumbs up, Money, Coins, Credit card, Bank, Invoice, Basket, Tag, Package, Truck, Factory, Person, People, Handshake, Phone, E-mail, Calendar, Clock, Checklist, Document, Gear, Computer, Globe, House, Heart, Leaf, Light bulb, Lightning, Shield, Warning, Wrench'

/** Lists the icons; their ids count from 1. */
export const icons: readonly Icon[] = NAMES.split(', ').map((name, index) => ({ id: index + 1, name }))

export const frequency = resource({
  name: 'frequency',
  plural: 'frequencies',
  title: 'frequency',
  root: 'KPIFrequency',
  path: '/kpifrequencies',
  verbs: ['list', 'get'],
  brief: ['id', 'name'],
  fields: {
    id: {
      kind: 'choice',
      about: 'Id of the frequency, one letter',
      readOnly: true,
      oneOf: ['D', 'W', 'M', 'Q', 'Y'],
    },
    name: { kind: 'text', about: 'Name of the frequency', readOnly: true, example: 'Daily' },
  },
})

type FrequencyRecord = Stored<typeof frequency>

export const frequencyNames: Record<Frequency, string> = {
  D: 'Daily',
  W: 'Weekly',
  M: 'Monthly',
  Q: 'Quarterly',
  Y: 'Yearly',
}

/** Lists all frequencies by id, as the interface does. */
export const frequencies: readonly FrequencyRecord[] = (['D', 'M', 'Q', 'W', 'Y'] as const).map((id) => ({
  id,
  name: frequencyNames[id],
}))

export const unit = resource({
  name: 'unit',
  plural: 'units',
  title: 'unit',
  root: 'KPIUnit',
  path: '/kpiunits',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  brief: ['id', 'name', 'entry_format', 'display_format', 'is_percentage'],
  fields: {
    id: { kind: 'integer', about: 'Id of the unit', readOnly: true, example: 1 },
    name: {
      kind: 'text',
      about: 'Name of the unit',
      required: true,
      max: 25,
      example: 'Metre',
      called: 'unit, unit name, unit of measure, einheit, unité, unidad, unità, unidade, eenheid, enhet, jednostka',
    },
    entry_format: {
      kind: 'text',
      about: 'Number pattern that values are entered in, such as #.00',
      required: true,
      max: 25,
      form: { matches: /^[0#.]+$/, says: 'a number pattern of 0, # and . only' },
      usual: '#.00',
      example: '#.00',
      called: 'entered as, eingabeformat',
    },
    display_format: {
      kind: 'text',
      about: 'Number pattern that values are shown in, such as £ #.00 or #.00%',
      required: true,
      max: 25,
      form: { matches: /[0#]/, says: 'a number pattern with at least one 0 or #' },
      usual: '#.00',
      example: '#.00 m',
      called: 'format, number format, shown as, anzeigeformat',
    },
    is_percentage: {
      kind: 'boolean',
      about: 'Whether values are percentages: 12.34 stands for 12.34 %',
      required: true,
      usual: false,
      called: 'percent, prozent, pourcentage, porcentaje, percentuale, porcentagem',
    },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})

export type Unit = Stored<typeof unit>

export const category = resource({
  name: 'category',
  plural: 'categories',
  title: 'category',
  root: 'KPICategory',
  path: '/kpicategories',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  brief: ['id', 'name', 'sort_order'],
  fields: {
    id: { kind: 'integer', about: 'Id of the category', readOnly: true },
    name: {
      kind: 'text',
      about: 'Name of the category',
      required: true,
      max: 50,
      example: 'Sales',
      called:
        'category, category name, kpi category, kategorie, catégorie, categoría, categoria, categorie, kategori, kategoria',
    },
    sort_order: {
      kind: 'int16',
      about: 'Place in lists',
      fallback: 'next',
      called: 'order, position, place, reihenfolge',
    },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})
