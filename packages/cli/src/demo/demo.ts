import type { Colours } from '../output/colours.ts'
import type { DemoTokens } from './prepare-demo.ts'

export interface Addresses {
  readonly url: string
  /** Undefined where the storage is somebody else's. */
  readonly storageUrl: string | undefined
}

export interface DemoTools {
  readonly hf: boolean
  readonly git: boolean
}

export interface Demo extends Addresses {
  readonly data: string
  readonly tokens: DemoTokens
  /** How the command is called in the terminal where the demo was started. */
  readonly command: string
  /** Programs of this machine that the hub serves repositories to. */
  readonly tools: DemoTools
}

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
