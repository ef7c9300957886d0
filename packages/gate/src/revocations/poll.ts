/** Asks again and again. */

import { letEnd } from '../platform/let-end.ts'

/**
 * The first time after a part of the interval, so that gates that start together do not ask together. Gives the function
 * that ends this; it does not keep the process running.
 */
export function poll(ask: () => void, everySeconds: number, random: () => number): () => void {
  let timer = letEnd(setTimeout(begin, random() * everySeconds * 1000))
  function begin(): void {
    timer = letEnd(setTimeout(begin, everySeconds * 1000))
    ask()
  }
  return () => clearTimeout(timer)
}
