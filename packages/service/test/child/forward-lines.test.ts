import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { forwardLines, type LineReading } from '../../src/machine/child/lines.ts'

/** A writer whose reader takes what is written only when it is told to. */
function writer(isStalled = false) {
  const written: string[] = []
  let release = () => {}
  const drained = () =>
    isStalled ? new Promise<void>((resolve) => (release = resolve)) : Promise.resolve()
  const lines = { write: (line: string) => void written.push(line), drained, close: async () => {} }
  return { written, lines, release: () => release() }
}

const asTheyAre: LineReading = { read: (line) => line, onLeftOut() {} }

it('whole lines come out, however the bytes arrive, and nothing of a line that was cut', async () => {
  const text = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\r', '"') }), {
    maxLength: 10,
  })
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(fc.nat(), { maxLength: 10 }),
      fc.boolean(),
      fc.constantFrom({}, { reading: asTheyAre }),
      async (all, cuts, isCut, how) => {
        const whole = all.map((line) => `${line}\n`).join('')
        const bytes = Buffer.from(isCut ? `${whole}{"cut` : whole)
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
          (one, other) => one - other,
        )
        const from = new PassThrough()
        const { written, lines } = writer()
        const forwarded = forwardLines(from, { lines, ...how })
        for (const [index, place] of places.entries()) {
          from.write(bytes.subarray(places[index - 1] ?? 0, place))
        }
        from.end()
        await forwarded
        expect(written.join('')).toBe(whole)
        expect(written.every((part) => part.endsWith('\n'))).toBe(true)
      },
    ),
  )
})

it('nothing more is read while what was read is not written', async () => {
  const from = new PassThrough({ highWaterMark: 1 })
  const { written, lines, release } = writer(true)
  const forwarded = forwardLines(from, { lines })
  from.write('one\n')
  await expect.poll(() => written).toEqual(['one\n'])
  from.write('two\n')
  await nextTurn()
  expect(written).toEqual(['one\n'])
  release()
  await expect.poll(() => written).toEqual(['one\n', 'two\n'])
  release()
  from.end()
  await forwarded
})

it('what is no line of the other process is left out and told, and the others come out', async () => {
  const from = new PassThrough()
  const { written, lines } = writer()
  let leftOut = 0
  const forwarded = forwardLines(from, {
    lines,
    reading: {
      read: (line) => (line.startsWith('good') ? line.toUpperCase() : undefined),
      onLeftOut() {
        leftOut += 1
      },
    },
  })
  from.write('good one\nforged\ngood two\n')
  from.write('forged\n')
  from.end('good three\n')
  await forwarded
  expect(written.join('')).toBe('GOOD ONE\nGOOD TWO\nGOOD THREE\n')
  expect(leftOut).toBeGreaterThan(0)
})
