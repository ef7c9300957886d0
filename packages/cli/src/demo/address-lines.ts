/** Where a demo answers and where its data is, one line each. */

import type { Colours } from '../output/colours.ts'
import type { Demo } from './demo.ts'

export function addressLines(
  { url, storageUrl, data }: Demo,
  { dim, cyan }: Colours,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const line = (name: string, value: string) => `  ${dim(name.padEnd(7))} ${value}`
  return [
    line('hub', cyan(url)),
    ...(storageUrl === undefined ? [] : [line('storage', cyan(storageUrl))]),
    ...Object.entries(more).map(([name, address]) => line(name, cyan(address))),
    line('data', data),
  ]
}
