export const MEBIBYTE = 1024 * 1024

/** The most bytes that the body of a request may have: 10 MiB (decisions, section 8). */
export const BODY_LIMIT = 10 * MEBIBYTE

/** The most bytes that the body of an answer may have. */
export const ANSWER_LIMIT = 32 * MEBIBYTE

/** The most characters of notes in one row of a report. */
export const ROW_NOTES_LIMIT = 8 * MEBIBYTE

/** The most levels that a body may be nested (decisions, sections 4 and 9). */
export const DEPTH_LIMIT = 32

/** The most elements, and the most attributes, that an XML body may hold (decisions, section 9). */
export const ELEMENT_LIMIT = 200_000

/** Connections that a server has at a time, unless its operator says otherwise. */
export const CONNECTION_LIMIT = 10_000

/** The most requests a minute of an account, where the operator says nothing else (decisions, section 10). */
export const RATE_LIMIT = 200

/** The same of a key of the newer variant. */
export const RATE_LIMIT_V1 = 600
