import type { Dialect } from '../dialect.ts'

/** Names the tables of limits that belong to accounts, and those that do not, as the login is not known to be of any. */
export const LIMITS_OF_ACCOUNTS = ['request_windows', 'accepted_requests']
export const LIMITS_OF_LOGINS = ['login_brakes', 'refused_logins']

/**
 * Returns the statements that create the tables of limits. They refer to no other table, so that counting does not wait
 * for other writes. Refused logins belong to no account; every write of them locks the one row of `login_brakes`.
 */
export const limitTables = ({ integer, clustered, plain }: Dialect): readonly string[] => [
  `create table request_windows (
    account_id ${integer} not null, accepted ${integer} not null, last_at ${integer} not null,
    shift ${integer} not null, primary key (account_id)
  )${clustered}`,
  // Numbered from 1 in each account, without gaps, in the order of time.
  `create table accepted_requests (
    account_id ${integer} not null, number ${integer} not null, at ${integer} not null,
    primary key (account_id, number)
  )${clustered}`,
  'create index accepted_requests_by_time on accepted_requests (account_id, at, number)',
  `create table login_brakes (
    pairs ${integer} not null, last_at ${integer} not null, shift ${integer} not null
  )${plain}`,
  'insert into login_brakes (pairs, last_at, shift) values (0, 0, 0)',
  `create table refused_logins (pair text not null, times text not null, last_at ${integer} not null)${plain}`,
  'create index refused_logins_by_pair on refused_logins (pair)',
  'create index refused_logins_by_time on refused_logins (last_at)',
]

/**
 * Returns the migration that counts per key instead of per account (key 0 is the token of the account). It drops the
 * earlier counts.
 */
export const callerTables = ({ integer, clustered }: Dialect): readonly string[] => [
  'drop table accepted_requests',
  'drop table request_windows',
  `create table request_windows (
    account_id ${integer} not null, key_id ${integer} not null, accepted ${integer} not null,
    last_at ${integer} not null, shift ${integer} not null, primary key (account_id, key_id)
  )${clustered}`,
  // Numbered from 1 for each key, without gaps, in the order of time.
  `create table accepted_requests (
    account_id ${integer} not null, key_id ${integer} not null, number ${integer} not null, at ${integer} not null,
    primary key (account_id, key_id, number)
  )${clustered}`,
  'create index accepted_requests_by_time on accepted_requests (account_id, key_id, at, number)',
]
