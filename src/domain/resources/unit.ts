import { resource, type Stored } from '../schema.ts'

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
    name: { kind: 'text', about: 'Name of the unit', required: true, max: 25, example: 'Metre' },
    entry_format: {
      kind: 'text',
      about: 'Number pattern that values are entered in, such as #.00',
      required: true,
      max: 25,
      form: { matches: /^[0#.]+$/, says: 'a number pattern of 0, # and . only' },
      usual: '#.00',
      example: '#.00',
    },
    display_format: {
      kind: 'text',
      about: 'Number pattern that values are shown in, such as £ #.00 or #.00%',
      required: true,
      max: 25,
      form: { matches: /[0#]/, says: 'a number pattern with at least one 0 or #' },
      usual: '#.00',
      example: '#.00 m',
    },
    is_percentage: {
      kind: 'boolean',
      about: 'Whether values are percentages: 12.34 stands for 12.34 %',
      required: true,
      usual: false,
    },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})

export type Unit = Stored<typeof unit>
