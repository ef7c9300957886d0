/** All that is used of Node without being documented; its test fails on a Node that has changed it. */

import type { Socket } from 'node:net'

/** Bytes of a write that the kernel has not taken yet; `writableLength` counts the write until all of it is taken. */
export function writeQueueSize(socket: Socket & { readonly _handle?: Handle | null }): number {
  return socket._handle?.writeQueueSize ?? 0
}

interface Handle {
  readonly writeQueueSize?: number
}
