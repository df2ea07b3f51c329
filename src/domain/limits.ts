export const MEBIBYTE = 1024 * 1024

/** Bounds the bytes of a request body: 10 MiB. */
export const BODY_LIMIT = 10 * MEBIBYTE

/** Bounds the bytes of a request's head. It is above the 8 KiB limit of the URL, so that the handler can answer 414. */
export const HEAD_LIMIT = 16_384

/** Bounds the bytes of the body of an answer. */
export const ANSWER_LIMIT = 16 * MEBIBYTE

/** Bounds the characters of notes in one row of a report. */
export const ROW_NOTES_LIMIT = 8 * MEBIBYTE

/** Bounds the levels of nesting in a body. */
export const DEPTH_LIMIT = 32

/** Bounds the keys and elements in a JSON body, and the elements in an XML body. */
export const ELEMENT_LIMIT = 200_000

/** Bounds the attributes of an element in an XML body. */
export const ATTRIBUTE_LIMIT = 1000

/** Bounds the characters of a text, comment, name or attribute value in an XML body. */
export const XML_PIECE_LIMIT = 262_144

/** Bounds the texts whose characters are counted. Longer ones are refused at once: no field may be nearly as long. */
export const TEXT_LIMIT = 32_768

/** Bounds the characters of a number in a body: more than anybody needs, and still quick to read. */
export const NUMBER_LIMIT = 1000

/** Bounds the group items of a user, since each entry of the user carries their set. */
export const USER_ITEMS_LIMIT = 1000

/** Sets the default limit of connections to a server. */
export const CONNECTION_LIMIT = 10_000

/** Sets the default limit of requests per minute for an account. */
export const RATE_LIMIT = 200

/** Sets the default limit of requests per minute for a key of the newer variant. */
export const RATE_LIMIT_V1 = 600
