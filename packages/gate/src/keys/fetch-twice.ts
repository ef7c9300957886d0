/** Asks a hub over a connection that may have been kept. */

/** The hub may have closed a kept connection since; the second try opens a new one. */
export async function fetchTwice(
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (init.signal.aborted) throw error
    return fetch(url, init)
  }
}
