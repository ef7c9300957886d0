/** Where a demo listens, written beside its data, so that another command finds it. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Addresses } from './demo.ts'

const shape = z.object({ url: z.url(), storageUrl: z.url().optional() })

export function writeAddresses(data: string, { url, storageUrl }: Addresses): void {
  writeFileSync(fileIn(data), `${JSON.stringify({ url, storageUrl })}\n`, { mode: 0o600 })
}

/** Undefined when there is no such file, or it holds something else. A demo that was killed leaves it. */
export function readAddresses(data: string): Addresses | undefined {
  try {
    const { url, storageUrl } = shape.parse(JSON.parse(readFileSync(fileIn(data), 'utf8')))
    return { url, storageUrl }
  } catch {
    return undefined
  }
}

function fileIn(data: string): string {
  return join(data, 'demo.json')
}
