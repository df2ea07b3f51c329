/** Sets up to how many times its packed size a file may unpack to, if it unpacks to more than so many bytes. */
const RATIOS = [
  { size: 64 * 1024 ** 2, most: 200 },
  { size: 320 * 1024 ** 2, most: 64 },
]

/**
 * Says why so many bytes are far too many to be a table of so many packed ones, and what to do about it; undefined if
 * they are not. No table is so repetitive.
 */
export const implausibleSize = (size: number, packed: number): string | undefined => {
  const over = RATIOS.find((one) => size > one.size && size > packed * one.most)
  return (
    over &&
    `more than ${over.most} times its packed size, more than a table plausibly has; unpack it first and look at it, or save the sheet of a workbook as CSV`
  )
}
