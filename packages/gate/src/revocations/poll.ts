/** Asks again and again. */

/**
 * The first time after a part of the interval, so that gates that start together do not ask together. Gives the function
 * that ends this; it does not keep the process running.
 */
export function poll(ask: () => void, everySeconds: number, random: () => number): () => void {
  let timer = setTimeout(begin, random() * everySeconds * 1000).unref()
  function begin(): void {
    timer = setTimeout(begin, everySeconds * 1000).unref()
    ask()
  }
  return () => clearTimeout(timer)
}
