/** Whether the disks of the data have room for what comes next. */

import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Check, type Finding, good, skipped, warning, wrong } from '@latchkey/service/checks'
import { contentFolders } from '@latchkey/storage/checks'
import { amount } from '../transfer/amount.ts'
import type { Installation } from './basis/installation.ts'

/** An upload needs room for a xorb of 64 MiB, and a change of the directory for the log of its database. */
const leastBytes = 128 * 1024 * 1024

/** Time to act before uploads are refused. */
const fewBytes = 1024 * 1024 * 1024

export const disk: Check<Installation> = {
  name: 'disk',
  async run({ settings: { data }, file }) {
    const folders = [data, ...contentFolders(data), ...(file === '' ? [] : [dirname(file)])]
    const there = folders.filter((folder) => existsSync(folder))
    // One line for each disk, whatever lies on it.
    const byDevice = new Map(there.toReversed().map((folder) => [statSync(folder).dev, folder]))
    if (byDevice.size === 0) return [skipped(`not looked at, because there is no ${data} yet`)]
    return [...byDevice.values()].toReversed().map(roomFor)
  },
}

function roomFor(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const found = `${amount(free)} are free for ${folder}`
  const todo = `Make room, or move the data to a larger disk; "latchkey storage gc" frees what nothing refers to.`
  if (free < leastBytes) return wrong(`${found}: uploads and changes fail`, todo)
  return free < fewBytes ? warning(found, todo) : good(found)
}
