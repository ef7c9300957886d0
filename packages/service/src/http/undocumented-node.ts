/** All that is used of Node without being documented; its test fails on a Node that has changed it. */

import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

/** Bytes of a write that the kernel has not taken yet; `writableLength` counts the write until all of it is taken. */
export function writeQueueSize(socket: Socket & { readonly _handle?: Handle | null }): number {
  return socket._handle?.writeQueueSize ?? 0
}

interface Handle {
  readonly writeQueueSize?: number
}

/**
 * Closes the connections on their way to a worker of a cluster when it ends. Node keeps its own end of each until the worker
 * says that it has it; a client would wait for an answer of a worker that was killed before.
 */
export function closeUndelivered(worker: ChildProcess): void {
  const undelivered = new Map<unknown, Closable>()
  const send = worker.send
  worker.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (isClosable(handle)) undelivered.set(Object(message).seq, handle)
    return Reflect.apply(send, worker, [message, handle, ...rest])
  }
  const forget = (message: unknown) => undelivered.delete(Object(message).ack)
  worker.on('internalMessage' as 'message', forget)
  worker.once('exit', () => {
    for (const handle of undelivered.values()) handle.close()
  })
}

interface Closable {
  close(): void
}

function isClosable(handle: unknown): handle is Closable {
  return typeof Object(handle).close === 'function'
}
