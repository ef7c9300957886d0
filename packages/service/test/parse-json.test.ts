import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseJson } from '../src/http/parse-json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

/** Makes a text so long that it is cut. */
const long = ' '.repeat(70_000)

describe('JSON that is read in slices', () => {
  test('means what JSON means', async () => {
    const value = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }),
      fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
    )
    const indent = fc.constantFrom(undefined, 1, '\t')
    await fc.assert(
      fc.asyncProperty(value, indent, async (json, space) => {
        const text = JSON.stringify(json, null, space)
        expect(await parse(text)).toEqual(JSON.parse(text))
        expect(await parse(long + text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 100 },
    )
  })

  test('is no JSON where JSON says so, at every place that it may be cut at', async () => {
    const text = '{"a": [1, "x,]", {"b": [2]}], "c": "\\"", "d": true}'
    for (let at = 0; at < text.length; at += 1) {
      for (const wrong of [text.slice(0, at), `${text.slice(0, at)}]${text.slice(at)}`]) {
        let isJson = true
        try {
          JSON.parse(wrong)
        } catch {
          isJson = false
        }
        expect([wrong, (await parse(long + wrong)) !== undefined]).toEqual([wrong, isJson])
      }
    }
  })

  test('has every item of a long list, in order, and its own members alone', async () => {
    const files = Array.from({ length: 4000 }, (_, at) => ({ path: `a${at}`, size: at }))
    expect(await parse(JSON.stringify({ files, more: 'x'.repeat(100_000) }))).toEqual({
      files,
      more: 'x'.repeat(100_000),
    })
    const told = await parse(`{"__proto__": {"a": 1}, "b": 2}${long}`)
    expect(Object.getPrototypeOf(told)).toBe(Object.prototype)
  })

  test.each([
    ['an item that is longer than a slice', `[[${'1,'.repeat(40_000)}1]]`],
    ['a member that is longer than a slice', `{"a": {"b": [${'1,'.repeat(40_000)}1]}}`],
    ['more than a hundred thousand values', `[${'{},'.repeat(100_000)}{}]`],
    ['as many values in its items', `[${'[0,0,0],'.repeat(34_000)}0]`],
    ['brackets without end', '['.repeat(100_000)],
    [
      'a thousand members and one',
      `{${Array.from({ length: 1001 }, (_, at) => `"${at}":0`)}${long}}`,
    ],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('["'), Buffer.from([0xff]), Buffer.from('"]')]),
    ],
  ])('is refused: %s', async (_, text) => {
    expect(await parseJson(Buffer.from(text))).toBeUndefined()
  })

  test('lets others work in between', async () => {
    let turns = 0
    const tick = () => {
      turns += 1
      timer = setImmediate(tick)
    }
    let timer = setImmediate(tick)
    await parse(`[${'{"a":"bcdef"},'.repeat(70_000)}{}]`)
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(20)
  })
})

describe('large bodies of several requests at once', () => {
  test('one slice runs in each turn of the event loop', async () => {
    const item = JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [at, at])))
    const body = Buffer.from(`{"list":[${Array(400).fill(item).join(',')}]}`)
    const texts = { now: 0, most: 0 }
    const { parse } = JSON
    const spy = vi.spyOn(JSON, 'parse').mockImplementation((text: string) => {
      texts.now += text.length
      texts.most = Math.max(texts.most, texts.now)
      return parse(text)
    })
    onTestFinished(() => spy.mockRestore())
    let isOver = false
    const turn = () => {
      texts.now = 0
      if (!isOver) setImmediate(turn)
    }
    turn()
    await Promise.all(Array.from({ length: 20 }, () => parseJson(body)))
    isOver = true
    // Without turns, each of them would parse a slice between two turns.
    expect(texts.most).toBeLessThan(3 * 64 * 1024)
  })
})
