/** Whether a service that answers nothing to what it has stored is believed: once that was seen to be there. */
export type Silence = { readonly isBelieved: () => boolean; readonly believe: () => void }

export const createSilence = (): Silence => {
  let isBelieved = false
  return { isBelieved: () => isBelieved, believe: () => void (isBelieved = true) }
}
