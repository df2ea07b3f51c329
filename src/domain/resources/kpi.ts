import { asAsked, asStored, type Draft, resource, type Stored } from '../schema.ts'
import { targetsBefore } from './dated-target.ts'

export const kpi = resource({
  name: 'kpi',
  plural: 'kpis',
  title: 'KPI',
  root: 'KPI',
  path: '/kpis',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  removal: 'with its assignments and all its entries',
  brief: ['id', 'name', 'category_id', 'unit_id', 'frequency_id', 'target_default', 'is_active'],
  fields: {
    id: { kind: 'integer', about: 'Id of the KPI', readOnly: true },
    category_id: {
      kind: 'integer',
      about: 'Category that holds the KPI',
      required: true,
      lenient: true,
      refers: 'category',
      usual: 'General',
      called: 'kpi category, kategorie, catégorie, categoría, categoria, categorie, kategori, kategoria',
    },
    icon_id: { kind: 'int16', about: 'Icon it is shown with', required: true, refers: 'icon', usual: 1 },
    unit_id: {
      kind: 'integer',
      about: 'Unit of measure',
      required: true,
      refers: 'unit',
      usual: 'Number',
      called: 'unit of measure, measured in, uom, einheit, unité, unidad, unità, unidade, eenheid, enhet, jednostka',
    },
    frequency_id: {
      kind: 'choice',
      about: 'How often it is measured: D daily, W weekly, M monthly, Q quarterly, Y yearly',
      required: true,
      oneOf: ['D', 'W', 'M', 'Q', 'Y'],
      words: ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'],
      called:
        'interval, how often, häufigkeit, turnus, fréquence, frecuencia, frequenza, frequência, frequentie, frekvens, częstotliwość',
    },
    name: {
      kind: 'text',
      about: 'Name of the KPI',
      required: true,
      max: 100,
      example: 'Visits',
      called:
        'kpi, kpi name, measure, metric, indicator, kennzahl, indicateur, indicador, indicatore, nyckeltal, wskaźnik',
    },
    description: {
      kind: 'text',
      about: 'What it measures',
      nullable: true,
      max: 150,
      example: 'Visitors of the shop',
      called: 'about, details, beschreibung, descripción, descrizione, descrição, omschrijving, beskrivning, opis',
    },
    target_default: {
      kind: 'decimal',
      about: 'Target of each entry that has none of its own, nor of its user; blank for none',
      nullable: true,
      offered: true,
      inUnitOf: { kind: 'unit', idField: 'unit_id' },
      example: 100,
      called:
        'target, default target, goal, plan, ziel, zielwert, soll, sollwert, objectif, cible, objetivo, meta, obiettivo, doel, mål, cel',
    },
    target_base: {
      kind: 'decimal',
      about: 'Where there are dated targets, the one of days before the first; target_default shows the one of today',
      nullable: true,
      onRequest: true,
      isDerived: true,
      inUnitOf: { kind: 'unit', idField: 'unit_id' },
    },
    targets: {
      kind: 'targets',
      about: 'Targets that hold from a day on, each until the next one; null for none',
      nullable: true,
      onRequest: true,
      since: 8,
    },
    targets_before: targetsBefore,
    value_direction: {
      kind: 'choice',
      about: 'Which way is better: U up, D down, N none',
      required: true,
      oneOf: ['U', 'D', 'N'],
      words: ['up', 'down', 'none'],
      usual: 'U',
      offered: true,
      called:
        'direction, better, which way is better, richtung, sens, dirección, direzione, direção, richting, riktning, kierunek',
    },
    aggregate_function: {
      kind: 'choice',
      about: 'How a period is made of its entries: SUM or AVG',
      required: true,
      lenient: true,
      oneOf: ['AVG', 'SUM'],
      words: ['average', 'total'],
      elsewhere: 'of stocks, kpi report --function last takes the last value, and functions: in kpi.yaml keeps that',
      usual: 'SUM',
      offered: true,
      // A sum of percentages means nothing.
      unless: { field: 'unit_id', is: 'is_percentage', usual: 'AVG', because: 'its unit is a percentage' },
      example: 'SUM',
      called:
        'aggregate, aggregation, function, sum or average, total or average, aggregat, agrégation, agregación, aggregazione',
    },
    sort_order: {
      kind: 'int16',
      about: 'Place in lists',
      required: true,
      usual: 'next',
      called: 'order, position, place, reihenfolge',
    },
    is_active: {
      kind: 'boolean',
      about: 'Whether it accepts entries',
      required: true,
      usual: true,
      example: true,
      called: 'aktiv, actif, activo, attivo, ativo, actief, aktywny',
    },
    is_calculated: { kind: 'boolean', about: 'Whether a formula computes it', readOnly: true },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})

/** Defines the KPIs of one category: the same resource at another path. */
export const categoryKpi = { ...kpi, path: '/kpicategories/{category_id}/kpis' }

/** Defines a KPI as the bundled service shows it to a client that asks for dated targets. */
export const askedKpi = asAsked(kpi)

/** Defines a KPI as the store holds it: `target_default` is the target of days before the first dated one. */
export const storedKpi = asStored(kpi)

/** Describes a KPI; its dated targets where they are known. */
export type Kpi = Stored<typeof kpi> & { targets?: string | null }
export type KpiDraft = Draft<typeof kpi>
