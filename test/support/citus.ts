import { Client } from 'pg'

/*
 * What `kpi` uses of Citus, for a PostgreSQL without it: the catalogue, and functions that note in it what they are asked to
 * distribute. Like Citus, they refuse a table that refers to one that is not distributed yet, and to empty one that others
 * refer to. No row is moved. Where the server is a coordinator of Citus, that is used.
 */
const STAND_IN = `
  create table pg_dist_partition (logicalrelid regclass, partkey text, colocationid int not null default 1);
  create function column_to_column_name(regclass, text) returns text language sql as 'select $2';
  create function distribute(relation regclass, spread_by text) returns void language plpgsql as $$
    begin
      if exists (select 1 from pg_constraint where contype = 'f' and conrelid = relation and confrelid <> relation
        and confrelid not in (select logicalrelid from pg_dist_partition)) then
        raise 'referenced table must be a distributed table or a reference table';
      end if;
      if exists (select 1 from pg_dist_partition where logicalrelid = relation) then
        raise 'table is already distributed';
      end if;
      insert into pg_dist_partition values (relation, spread_by);
    end $$;
  create function create_distributed_table(relation regclass, spread_by text, colocate_with text default 'default')
    returns void language sql as 'select distribute($1, $2)';
  create function truncate_local_data_after_distributing_table(relation regclass) returns void language plpgsql as $$
    begin
      if exists (select 1 from pg_constraint where contype = 'f' and confrelid = relation
        and conrelid not in (select logicalrelid from pg_dist_partition)) then
        raise 'cannot truncate a table referenced in a foreign key constraint by a local table';
      end if;
    end $$`

/** Makes the schema of a URL one of a database with Citus. */
export const addCitus = async (url: string): Promise<void> => {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regproc('create_distributed_table') is not null as there`,
  )
  if (!rows[0]?.there) await client.query(STAND_IN)
  await client.end()
}
