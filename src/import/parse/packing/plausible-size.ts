/** Sets up to how many times its packed size a large file may unpack to. No table is more repetitive than that. */
const MOST_RATIO = 200
/** Sets from which size on the ratio counts. */
const LARGE = 64 * 1024 ** 2

/** Says of an implausible size what to do about it. */
export const IMPLAUSIBLE = `more than ${MOST_RATIO} times its packed size, more than a table plausibly has; unpack it first and look at it, or save the sheet of a workbook as CSV`

/** Tells whether so many bytes are far too many to be a table of so many packed ones. */
export const isImplausible = (size: number, packed: number): boolean => size > LARGE && size > packed * MOST_RATIO
