/** The name of a function in a flame graph: `package/file:function`, or the part of Node that it belongs to. */

import type { CallFrame } from './profile.ts'

const namesOfV8: Readonly<Record<string, string>> = {
  '(idle)': 'idle',
  '(garbage collector)': 'garbage collection',
  '(program)': 'outside JavaScript: event loop, system calls',
}

/** Modules of Node that work as one. The first that matches counts. */
const partsOfNode: readonly (readonly [RegExp, string])[] = [
  [/^_http|^http|^internal\/http/, 'http'],
  [/crypto/, 'crypto'],
  [/stream/, 'streams'],
  [/^net|^internal\/net|^_tls|dgram/, 'net'],
  [/timers|task_queues|async_|process|event/, 'events, timers and ticks'],
  [/buffer|string_decoder|encoding/, 'buffers'],
]

export function frameOf({ functionName, url }: CallFrame): string {
  if (url === '') return namesOfV8[functionName] ?? `native:${functionName || 'unnamed'}`
  if (url.startsWith('node:')) {
    const module = url.slice('node:'.length)
    const part = partsOfNode.find(([pattern]) => pattern.test(module))?.[1]
    return `node:${part ?? module.replace(/^internal\//, '').split('/')[0]}`
  }
  return `${fileOf(url)}:${functionName || '(anonymous)'}`
}

/** Never with the folders of a machine, nor with what a test runner adds to an address. */
function fileOf(address: string): string {
  const url = address.replace(/\?.*$/, '')
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(url)
  const own = /.*\/packages\/([^/]+)\/(?:src\/)?(.+)$/.exec(url)
  const [, name, path] = installed ?? own ?? []
  if (name !== undefined && path !== undefined) return `${name}/${path}`
  const bench = /\/(bench\/.+)$/.exec(url)?.[1]
  return bench ?? url.split('/').at(-1) ?? url
}

export type FrameKind = 'own' | 'installed' | 'node' | 'native' | 'collection'

/** Packages of this project have files in TypeScript. */
export function kindOf(frame: string): FrameKind {
  if (frame === namesOfV8['(garbage collector)']) return 'collection'
  if (frame.startsWith('node:')) return 'node'
  if (frame.startsWith('native:') || !frame.includes('/')) return 'native'
  return /\.ts:/.test(frame) ? 'own' : 'installed'
}
