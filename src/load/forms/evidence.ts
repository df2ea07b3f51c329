import { Fault } from '../../domain/errors.ts'

/** A cell that shows something: its text and the line on which its row begins. */
export type Evidence = { readonly text: string; readonly line: number }

/** A cell as it is shown to people. */
export const shown = ({ text, line }: Evidence): string => `"${text}" on line ${line}`

/** Says that a cell is not written as its column is read, so that the column may be another one, or written otherwise. */
export class Misread extends Fault {}
