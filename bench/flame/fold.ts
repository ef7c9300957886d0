/** A profile as folded stacks: each stack of frames once, with its samples. */

import { frameOf } from './frame.ts'
import type { CpuProfile, ProfileNode } from './profile.ts'

export interface Stack {
  /** From the outermost. */
  readonly frames: readonly string[]
  readonly samples: number
}

export function fold({ nodes }: CpuProfile): readonly Stack[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const samples = new Map<string, Stack>()
  const [root] = nodes
  if (root !== undefined) walk(root, [])
  if (samples.size === 0) throw new Error('the profile has no samples: nothing was at work')
  return [...samples.values()].toSorted((one, other) =>
    keyOf(one.frames) < keyOf(other.frames) ? -1 : 1,
  )

  function walk(node: ProfileNode, outer: readonly string[]): void {
    const frame = node === root ? undefined : frameOf(node.callFrame)
    if (frame === 'idle') return
    // Frames of one module of Node are one: what is below them is what was called through it.
    const frames = frame === undefined || frame === outer.at(-1) ? outer : [...outer, frame]
    const { hitCount = 0, children = [] } = node
    if (hitCount > 0 && frames.length > 0) {
      const key = keyOf(frames)
      const before = samples.get(key)?.samples ?? 0
      samples.set(key, { frames, samples: before + hitCount })
    }
    for (const id of children) {
      const child = byId.get(id)
      if (child !== undefined) walk(child, frames)
    }
  }
}

function keyOf(frames: readonly string[]): string {
  return frames.join('\n')
}
