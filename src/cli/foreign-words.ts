/** Maps words for commands that others have to ours; those that a group has are meant. */
export const FOREIGN_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  remove: ['delete', 'revoke', 'disable-api'],
  delete: ['remove', 'revoke'],
  rm: ['delete', 'remove', 'revoke'],
  del: ['delete', 'remove'],
  erase: ['delete', 'remove'],
  destroy: ['delete', 'remove'],
  drop: ['delete', 'remove'],
  new: ['create', 'add'],
  make: ['create', 'add'],
  create: ['add'],
  add: ['create'],
  insert: ['add', 'create'],
  change: ['update'],
  modify: ['update'],
  patch: ['update'],
  rename: ['update'],
  view: ['get', 'show', 'list'],
  describe: ['get', 'show'],
  info: ['get', 'show'],
  find: ['list'],
  search: ['list'],
  all: ['list'],
  load: ['import'],
  upload: ['import'],
  download: ['export'],
  test: ['check'],
  verify: ['check'],
  metrics: ['kpis'],
  indicators: ['kpis'],
  values: ['entries'],
  data: ['entries'],
  people: ['users'],
  persons: ['users'],
  teams: ['groups'],
  assignments: ['assign'],
  config: ['profiles'],
  configure: ['profiles'],
  login: ['profiles'],
  server: ['serve'],
  start: ['serve'],
  job: ['run'],
  diff: ['plan'],
}

/** Maps words that may mean several of our commands; all that a group has are said. */
export const AMBIGUOUS_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  set: ['update', 'add'],
}

/** Maps commands to the one beside them in whose place they are often tried, so that its flags are given to them. */
export const OFTEN_MEANT: Readonly<Record<string, string>> = {
  update: 'add',
}

/** Maps flags that others have to ours; those that a command has are meant. */
export const FOREIGN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  '--format': ['--output'],
  '--file': ['--to-file', '--from-json'],
  '--since': ['--from'],
  '--start': ['--from'],
  '--after': ['--from'],
  '--until': ['--to'],
  '--end': ['--to'],
  '--before': ['--to'],
  '--month': ['--from'],
  '--quarter': ['--from'],
  '--year': ['--from'],
  '--week': ['--from'],
  '--period': ['--from'],
  '--item': ['--group-items', '--source'],
  '--day': ['--date'],
  '--value': ['--actual'],
  '--comment': ['--notes'],
  '--title': ['--name'],
  '--order': ['--sort'],
  '--order-by': ['--sort'],
  '--where': ['--filter'],
  '--fields': ['--columns'],
  '--max': ['--limit'],
  '--silent': ['--quiet'],
  '--url': ['--base-url'],
  '--tz': ['--time-zone'],
}

/** Maps flags that others have for formats to ours with their values. */
export const FORMAT_FLAGS: Readonly<Record<string, string>> = {
  '--json': '-o json',
  '--csv': '-o csv',
  '--yaml': '-o yaml',
}

/** Lists the flags of others whose values ours take as they are. */
export const SAME_VALUES: ReadonlySet<string> = new Set(['--month', '--quarter', '--year', '--week', '--period'])
