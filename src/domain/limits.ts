export const MEBIBYTE = 1024 * 1024

/** Sets the most bytes in the body of a request: 10 MiB. */
export const BODY_LIMIT = 10 * MEBIBYTE

/** Bounds the bytes of a request's head; above the 8 KiB of its address, so that the interface refuses a longer one itself. */
export const HEAD_LIMIT = 16_384

/** Sets the most bytes in the body of an answer. */
export const ANSWER_LIMIT = 16 * MEBIBYTE

/** Sets the most characters of notes in one row of a report. */
export const ROW_NOTES_LIMIT = 8 * MEBIBYTE

/** Sets how deep a body may be nested. */
export const DEPTH_LIMIT = 32

/** Sets the most keys and elements in a JSON body, and the most elements in an XML body. */
export const ELEMENT_LIMIT = 200_000

/** Sets the most attributes of an element in an XML body. */
export const ATTRIBUTE_LIMIT = 1000

/** Sets the longest text, comment, name or attribute value in an XML body, in characters. */
export const XML_PIECE_LIMIT = 262_144

/** Sets the length beyond which a text is not measured: no field may be nearly as long. */
export const TEXT_LIMIT = 32_768

/** Sets the longest number in a body, in characters: more than anybody means, and quick to read. */
export const NUMBER_LIMIT = 1000

/** Sets the most group items of a user: their set is copied onto each of the user's entries. */
export const USER_ITEMS_LIMIT = 1000

/** Sets the most connections of a server, unless its operator says otherwise. */
export const CONNECTION_LIMIT = 10_000

/** Sets the default limit of an account, in requests a minute. */
export const RATE_LIMIT = 200

/** Sets the default limit of a key of the newer variant, in requests a minute. */
export const RATE_LIMIT_V1 = 600
