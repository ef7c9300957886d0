/** The thread of the bare sides: every chunk is unpacked and hashed, and the file is synced. */

import { closeSync, fsyncSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { checkXorb, type Hash, isFormatError } from '@latchkey/xet/format'
import type { CheckOrder } from './keep-body.ts'

parentPort?.on('message', ({ file, hash }: CheckOrder) => {
  const descriptor = openSync(file, 'r')
  const checked = checkXorb((into) => readSync(descriptor, into), hash as Hash)
  fsyncSync(descriptor)
  closeSync(descriptor)
  parentPort?.postMessage(!isFormatError(checked))
})
