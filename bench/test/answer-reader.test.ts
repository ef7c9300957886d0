import { describe, expect, it } from 'vitest'
import { answerReader } from '../measure/answer-reader.ts'

/** The statuses of the answers that were whole after each piece. */
function statusesAfter(...pieces: readonly string[]): readonly number[][] {
  const statuses: number[] = []
  const read = answerReader((status) => statuses.push(status))
  return pieces.map((piece) => {
    read(Buffer.from(piece))
    return [...statuses]
  })
}

const head = (line: string) => `HTTP/1.1 ${line}\r\n\r\n`

describe('an answer on a connection', () => {
  it('is not whole before the last byte of its body', () => {
    const answer = head('200 OK\r\nContent-Length: 4')
    expect(statusesAfter(answer, 'ab', 'c', 'd')).toEqual([[], [], [], [200]])
  })

  it('is not whole before the end of its head', () => {
    expect(statusesAfter('HTTP/1.1 404 No', 'ne\r\ncontent-length: 0\r\n', '\r\n')).toEqual([
      [],
      [],
      [404],
    ])
  })

  it('of chunks is whole with the last chunk, however it is cut', () => {
    const answer = head('200 OK\r\nTransfer-Encoding: chunked')
    expect(statusesAfter(`${answer}2\r\nab\r\n`, '0\r', '\n\r\n')).toEqual([[], [], [200]])
  })

  it('is followed by the next one', () => {
    const answer = `${head('200 OK\r\nContent-Length: 1')}a`
    expect(statusesAfter(answer, head('503 No\r\nContent-Length: 0'))).toEqual([[200], [200, 503]])
  })
})
