const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is a file',
  ENOSPC: 'the disk is full',
  EROFS: 'its file system is read-only',
}

/** Why the system refused a file, in words. */
export const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}
