import { describe, expect, it } from 'vitest'
import { addAhead } from '../../src/commands/upload.ts'
import type { Source } from '../../src/upload/collect-sources.ts'

function sourceOf(index: number): Source {
  return { file: `${index}`, path: `${index}`, size: 10, open: async function* () {}, close() {} }
}

/** Adds that end when the test says so. */
function heldAdds() {
  const held: { file: string; end: PromiseWithResolvers<string> }[] = []
  const add = ({ file }: Source) => {
    const end = Promise.withResolvers<string>()
    held.push({ file, end })
    return end.promise
  }
  return { held, add }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('files that are added', () => {
  it('are sixteen at once, begun in their order', async () => {
    const sources = Array.from({ length: 20 }, (_, index) => sourceOf(index))
    const { held, add } = heldAdds()
    const done = addAhead(sources, add)
    await settle()
    expect(held.map(({ file }) => file)).toEqual(sources.slice(0, 16).map(({ file }) => file))
    held[5]?.end.resolve('5')
    await settle()
    expect(held).toHaveLength(17)
    for (let index = 0; index < 20; index += 1) {
      held[index]?.end.resolve(String(index))
      await settle()
    }
    expect(await done).toEqual(sources.map(({ file }) => file))
  })

  it('end with the first that fails, and no further one is begun', async () => {
    const sources = Array.from({ length: 20 }, (_, index) => sourceOf(index))
    const { held, add } = heldAdds()
    const done = addAhead(sources, add)
    done.catch(() => {})
    await settle()
    held[3]?.end.reject(new Error('no room'))
    await expect(done).rejects.toThrow('no room')
    for (const { end } of held) end.resolve('')
    await settle()
    expect(held).toHaveLength(16)
  })
})
