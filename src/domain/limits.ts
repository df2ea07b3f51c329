/** The most bytes that the body of a request may have: 10 MiB (decisions, section 8). */
export const BODY_LIMIT = 10 * 1024 * 1024
