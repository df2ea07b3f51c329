/** Describes a request as it is sent. */
export type ObservedRequest = {
  readonly method: string
  /** Holds the path with its query; a whole address where that is not the one of the service. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Returns the body as text; a request without one has none. */
  readonly body: () => string | undefined
  /** Counts how often this request has been sent, with this time. */
  readonly attempt: number
  /** Removes the credentials that are sent with it from a text. */
  readonly hide: (text: string) => string
}

/** Describes the answer to a request, or its head where the body is read as it comes. */
export type ObservedAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: () => string | undefined
}

/** Describes how a request ended: with an answer, or with the reason for none. */
export type RequestEnd = ObservedAnswer | { readonly reason: string }

/** Watches requests: gets each as it is sent, and returns what gets its end. */
export type RequestObserver = (request: ObservedRequest) => Promise<(end: RequestEnd) => Promise<void>>

/** Describes what an observer is told about a request and its end. */
type Observation<T> = {
  readonly request: ObservedRequest
  readonly endOf: (answer: T) => RequestEnd
  readonly reasonOf: (error: unknown) => RequestEnd
}

/** Sends a request before the eyes of an observer. */
export const observed = async <T>(
  observer: RequestObserver,
  { request, endOf, reasonOf }: Observation<T>,
  send: () => Promise<T>,
): Promise<T> => {
  const end = await observer(request)
  let answer: T
  try {
    answer = await send()
  } catch (error) {
    await end(reasonOf(error))
    throw error
  }
  await end(endOf(answer))
  return answer
}

/** Returns a path with a query. */
export const withQuery = (path: string, query: Readonly<Record<string, string>> = {}): string => {
  const words = new URLSearchParams(query).toString()
  return words === '' ? path : `${path}?${words}`
}
