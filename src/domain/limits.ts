export const MEBIBYTE = 1024 * 1024

/** The most bytes that the body of a request may have: 10 MiB (decisions, section 8). */
export const BODY_LIMIT = 10 * MEBIBYTE

/** Bounds the bytes of a request's head; above the 8 KiB of its address, so that the interface refuses a longer one itself. */
export const HEAD_LIMIT = 16_384

/** The most bytes that the body of an answer may have. */
export const ANSWER_LIMIT = 16 * MEBIBYTE

/** The most characters of notes in one row of a report. */
export const ROW_NOTES_LIMIT = 8 * MEBIBYTE

/** The most levels that a body may be nested (decisions, sections 4 and 9). */
export const DEPTH_LIMIT = 32

/** The most keys and elements that a JSON body may hold, and the most elements of an XML body. */
export const ELEMENT_LIMIT = 200_000

/** The most attributes that an element of an XML body may have. */
export const ATTRIBUTE_LIMIT = 1000

/** The longest text, comment, name or value of an attribute in an XML body, in characters. */
export const XML_PIECE_LIMIT = 262_144

/** A text beyond this is not measured: no field may be nearly as long. */
export const TEXT_LIMIT = 32_768

/** The longest number in a body, in characters: more than anybody means, and few enough to be read in no time. */
export const NUMBER_LIMIT = 1000

/** The most group items that a user may be linked to: their set is copied onto each of the user's entries. */
export const USER_ITEMS_LIMIT = 1000

/** Connections that a server has at a time, unless its operator says otherwise. */
export const CONNECTION_LIMIT = 10_000

/** The most requests a minute of an account, where the operator says nothing else (decisions, section 10). */
export const RATE_LIMIT = 200

/** The same of a key of the newer variant. */
export const RATE_LIMIT_V1 = 600
