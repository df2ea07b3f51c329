/**
 * Lists what a store of this version holds, as SQLite keeps it, in the order of types and names. The migrations create
 * it; with this list a store is checked as it is opened without loading them.
 */
export const CURRENT_SCHEMA: readonly string[] = [
  'CREATE UNIQUE INDEX entries_by_id on entries (account_id, id)',
  'CREATE INDEX entries_by_item_set on entries (account_id, item_set, kpi_id, entry_date) where item_set is not null',
  'CREATE INDEX idempotent_requests_by_time on idempotent_requests (account_id, created_at)',
  'CREATE INDEX item_set_members_by_set on item_set_members (account_id, set_id)',
  'CREATE INDEX items_by_place on items (account_id, breakdown_id, sort_order)',
  'CREATE INDEX keys_by_hash on keys (key_hash)',
  'CREATE INDEX kpis_by_category on kpis (account_id, category_id)',
  'CREATE INDEX kpis_by_unit on kpis (account_id, unit_id)',
  'CREATE INDEX run_batches_by_run on run_batches (account_id, run_id, revision)',
  'CREATE INDEX runs_by_time on runs (account_id, state, last_at)',
  'CREATE INDEX user_items_by_item on user_items (account_id, id)',
  `CREATE TABLE accounts (
    id integer primary key, name text not null unique, plan text not null, api_enabled integer not null,
    week_start text not null, fiscal_year_start integer not null, token_hash text unique,
    created_at integer not null
  ) strict`,
  'CREATE TABLE assignments (account_id integer not null references accounts (id), user_id integer not null, id integer not null, user_target integer, sort_order integer not null, created_at integer not null, updated_at integer not null, targets text, foreign key (account_id, user_id) references users (account_id, id), foreign key (account_id, id) references kpis (account_id, id), primary key (account_id, user_id, id)) strict, without rowid',
  'CREATE TABLE breakdowns (account_id integer not null references accounts (id), id integer not null, name text not null, sort_order integer not null, created_at integer not null, updated_at integer not null, primary key (account_id, id)) strict, without rowid',
  'CREATE TABLE categories (account_id integer not null references accounts (id), id integer not null, name text not null, sort_order integer not null, created_at integer not null, updated_at integer not null, primary key (account_id, id)) strict, without rowid',
  'CREATE TABLE counters (account_id integer not null references accounts (id), name text not null, last integer not null, primary key (account_id, name)) strict, without rowid',
  'CREATE TABLE entries (account_id integer not null references accounts (id), item_id integer not null, kpi_id integer not null, entry_date integer not null, id integer not null, actual integer, target integer, notes text, created_at integer not null, updated_at integer not null, item_set integer, revision integer not null default 0, foreign key (account_id, item_id) references items (account_id, id), foreign key (account_id, kpi_id) references kpis (account_id, id), primary key (account_id, item_id, kpi_id, entry_date)) strict, without rowid',
  'CREATE TABLE formulas (account_id integer not null references accounts (id), kpi_id integer not null, formula text not null, calculated_over text not null, target_from text not null, created_at integer not null, updated_at integer not null, foreign key (account_id, kpi_id) references kpis (account_id, id), primary key (account_id, kpi_id)) strict, without rowid',
  'CREATE TABLE idempotent_requests (account_id integer not null references accounts (id), path text not null, request_key text not null, fingerprint text not null, owner text not null, leased_until integer not null, created_at integer not null, status integer, location text, content_type text, body text, encoding text, primary key (account_id, path, request_key)) strict, without rowid',
  'CREATE TABLE item_set_members (account_id integer not null references accounts (id), group_item_id integer not null, set_id integer not null, foreign key (account_id, group_item_id) references items (account_id, id), foreign key (account_id, set_id) references item_sets (account_id, id), primary key (account_id, group_item_id, set_id)) strict, without rowid',
  'CREATE TABLE item_sets (account_id integer not null references accounts (id), id integer not null, digest text not null, unique (account_id, digest), primary key (account_id, id)) strict, without rowid',
  'CREATE TABLE items (account_id integer not null references accounts (id), id integer not null, breakdown_id integer not null, name text not null, user_id integer, is_archived integer not null, sort_order integer not null, created_at integer not null, updated_at integer not null, foreign key (account_id, breakdown_id) references breakdowns (account_id, id), primary key (account_id, id)) strict, without rowid',
  'CREATE TABLE keys (account_id integer not null references accounts (id), id integer not null, name text not null, begins text not null, user_id integer not null, scopes text not null, expires_at integer, last_used_at integer, revoked_at integer, created_at integer not null, key_hash text not null, foreign key (account_id, user_id) references users (account_id, id), primary key (account_id, id)) strict, without rowid',
  'CREATE TABLE kpis (account_id integer not null references accounts (id), id integer not null, category_id integer not null, icon_id integer not null, unit_id integer not null, frequency_id text not null, name text not null, description text, target_default integer, value_direction text not null, aggregate_function text not null, sort_order integer not null, is_active integer not null, is_calculated integer not null, created_at integer not null, updated_at integer not null, targets text, foreign key (account_id, category_id) references categories (account_id, id), foreign key (account_id, unit_id) references units (account_id, id), primary key (account_id, id)) strict, without rowid',
  'CREATE TABLE run_batches (account_id integer not null references accounts (id), revision integer not null, run_id text not null, first_id integer not null, created integer not null, left_ids text, changes text, primary key (account_id, revision)) strict, without rowid',
  'CREATE TABLE runs (account_id integer not null references accounts (id), run_id text not null, key_id integer not null, last_at integer not null, bytes integer not null, state integer not null, is_partial integer not null, primary key (account_id, run_id)) strict, without rowid',
  'CREATE TABLE units (account_id integer not null references accounts (id), id integer not null, name text not null, entry_format text not null, display_format text not null, is_percentage integer not null, created_at integer not null, updated_at integer not null, primary key (account_id, id)) strict, without rowid',
  'CREATE TABLE user_items (account_id integer not null references accounts (id), user_id integer not null, id integer not null, created_at integer not null, foreign key (account_id, user_id) references users (account_id, id), foreign key (account_id, id) references items (account_id, id), primary key (account_id, user_id, id)) strict, without rowid',
  'CREATE TABLE users (account_id integer not null references accounts (id), id integer not null, user_type text not null, user_status_id text not null, first_name text not null, last_name text, email text not null, can_manage_users integer not null, can_admin_settings integer not null, last_login_at integer, last_password_changed_at integer, created_at integer not null, updated_at integer not null, email_key text not null, password_hash text, foreign key (account_id, id) references items (account_id, id), unique (account_id, email_key), primary key (account_id, id)) strict, without rowid',
]
