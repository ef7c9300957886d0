/** Waiting for a lock of a file, before a program serves anybody. */

const shortestMs = 5
const longestMs = 100

const nobody = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the process. Pauses differ, so that programs that lock each other out do not try again together. */
export function pause(): void {
  Atomics.wait(nobody, 0, 0, shortestMs + Math.random() * (longestMs - shortestMs))
}
