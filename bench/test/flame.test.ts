import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { drawFlame, placeFrames } from '../flame/draw-flame.ts'
import { fold, type Stack } from '../flame/fold.ts'
import { frameOf } from '../flame/frame.ts'
import { type CpuProfile, type ProfileNode, startProfile } from '../flame/profile.ts'
import { ownCpuMicros } from '../machine.ts'

type Tree = readonly [functionName: string, url: string, hitCount: number, ...children: Tree[]]

function profileOf(...roots: readonly Tree[]): CpuProfile {
  const nodes: ProfileNode[] = []
  add(['(root)', '', 0, ...roots])
  return { nodes }

  function add([functionName, url, hitCount, ...children]: Tree): number {
    const id = nodes.length + 1
    nodes.push({ id, callFrame: { functionName, url }, hitCount })
    nodes[id - 1] = { ...(nodes[id - 1] as ProfileNode), children: children.map(add) }
    return id
  }
}

const hub = 'file:///anywhere/packages/hub/src/http/serve.ts'
const words = { title: 'requests', below: 'of a test' }

describe('a folded profile', () => {
  it('is refused without samples of work', () => {
    expect(() => fold({ nodes: [] })).toThrow('no samples')
    expect(() => fold(profileOf())).toThrow('no samples')
    expect(() => fold(profileOf(['(idle)', '', 100]))).toThrow('no samples')
  })

  it('has every stack once, and loses no sample but those of idleness', () => {
    const stacks = fold(
      profileOf(
        ['(idle)', '', 50],
        ['serve', hub, 1, ['look', hub, 2], ['look', hub, 3]],
        ['serve', hub, 4],
      ),
    )
    expect(stacks).toEqual([
      { frames: ['hub/http/serve.ts:serve'], samples: 5 },
      { frames: ['hub/http/serve.ts:serve', 'hub/http/serve.ts:look'], samples: 5 },
    ])
  })

  it('takes frames of one part of Node for one', () => {
    const outgoing: Tree = ['end', 'node:_http_outgoing', 1, ['write', 'node:_http_outgoing', 2]]
    const stacks = fold(profileOf(['emit', 'node:_http_server', 1, outgoing]))
    expect(stacks).toEqual([{ frames: ['node:http'], samples: 4 }])
  })
})

describe('a frame', () => {
  it.each([
    ['serve', hub, 'hub/http/serve.ts:serve'],
    ['', hub, 'hub/http/serve.ts:(anonymous)'],
    ['query', 'file:///a/node_modules/pg/lib/client.js', 'pg/lib/client.js:query'],
    ['read', 'file:///a/node_modules/@x/y/packages/z.js', '@x/y/packages/z.js:read'],
    ['signOneShot', 'node:internal/crypto/sig', 'node:crypto'],
    ['open', 'node:fs', 'node:fs'],
    ['(garbage collector)', '', 'garbage collection'],
    ['run', '', 'native:run'],
    ['work', 'file:///home/somebody/work.js', 'work.js:work'],
  ])('of %s in %s is called %s', (functionName, url, name) => {
    expect(frameOf({ functionName, url })).toBe(name)
  })
})

describe('a flame graph', () => {
  const stacks: readonly Stack[] = [
    { frames: ['b', 'd'], samples: 30 },
    { frames: ['a'], samples: 10 },
    { frames: ['b', 'c'], samples: 40 },
    { frames: ['b'], samples: 20 },
  ]

  it('has frames as wide as what stands on them and their own samples', () => {
    expect(placeFrames(stacks)).toEqual([
      { frame: 'a', from: 0, samples: 10, depth: 0 },
      { frame: 'b', from: 10, samples: 90, depth: 0 },
      { frame: 'c', from: 10, samples: 40, depth: 1 },
      { frame: 'd', from: 50, samples: 30, depth: 1 },
    ])
  })

  it('fills its width, and puts no frame outside of its caller', () => {
    const boxes = drawFlame(stacks, words).matchAll(
      /<g><title>(.)[^<]*<\/title><rect x="(.+?)" y=".+?" width="(.+?)"/g,
    )
    const drawn = new Map(
      Array.from(boxes, ([, name, x, width]) => [name, { x: Number(x), width: Number(width) }]),
    )
    expect(drawn).toEqual(
      new Map([
        ['a', { x: 10, width: 118 }],
        ['b', { x: 128, width: 1062 }],
        ['c', { x: 128, width: 472 }],
        ['d', { x: 600, width: 354 }],
      ]),
    )
  })

  it('is the same for the same stacks in another order', () => {
    expect(drawFlame(stacks.toReversed(), words)).toBe(drawFlame(stacks, words))
  })

  it('writes names as text, whatever they are', () => {
    const frame = 'hub/a.ts:<script>alert("1")</script>&'
    const svg = drawFlame([{ frames: [frame], samples: 1 }], { title: 'a < b & c', below: '' })
    expect(svg).not.toMatch(/<script|a < b|&(?!amp;|lt;|gt;|quot;)/)
    expect(svg).toContain('hub/a.ts:&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;')
  })

  it('shows what this process was busy with', async () => {
    const stop = await startProfile()
    const before = ownCpuMicros()
    while (ownCpuMicros() - before < 100_000) busy()
    expect(drawFlame(fold(await stop()), words)).toMatch(/<title>bench\/test\/flame\.test\.ts:/)
  })
})

function busy(): void {
  for (let count = 0; count < 1000; count += 1) createHash('sha256').update('text').digest()
}
