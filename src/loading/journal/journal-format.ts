import type { FileFormat } from '../../runs/sealed-file.ts'
import { INTENT_COLUMNS } from './journal-rows.ts'

const columnsOf = (text: string): string[] => text.split(', ')

/** Describes the file of a journal. The column `created` is empty: it stays so that journals of earlier releases are continued. */
export const JOURNAL: FileFormat = {
  version: 5,
  schema: `
create table intervals (
  id integer primary key,
  first_owner integer not null, first_kpi integer not null, first_day integer not null,
  last_owner integer not null, last_kpi integer not null, last_day integer not null,
  count integer not null, digest text not null, way text not null, places text, stage text not null,
  sent_at integer not null, run text not null, outcome text,
  created integer
);
create table marks (interval integer primary key, marks blob not null);
create index intervals_by_key on intervals (first_owner >= 0, abs(first_owner), first_kpi, first_day);
create table ones (
  interval integer not null, owner integer not null, kpi integer not null, day integer not null,
  digest text not null, known integer, sent_at integer not null, outcome text,
  primary key (interval, owner, kpi, day)
) without rowid`,
  tables: {
    intervals: columnsOf(`id, ${INTENT_COLUMNS}, outcome, created`),
    marks: columnsOf('interval, marks'),
    ones: columnsOf('interval, owner, kpi, day, digest, known, sent_at, outcome'),
  },
  bytes: new Set(['marks']),
  noun: 'journal',
  whenBusy: 'the same import is running already; wait until it has ended, or stop it',
  whenDamaged:
    'delete it to start again: entries that are stored already are recognised, but with --on-conflict add they would be added again',
}
