/** Finds the end of each answer on a connection, with next to nothing of a client around it. */

const headEnd = '\r\n\r\n'
const chunksEnd = '0\r\n\r\n'

/** Takes what a socket receives, and tells the status of every answer that is whole. One request at a time is under way. */
export function answerReader(whenWhole: (status: number) => void): (piece: Buffer) => void {
  let head = ''
  let status = 0
  /** Bytes of the body still to come; undefined in a body of chunks. */
  let left: number | undefined
  let tail = ''
  return (piece) => {
    let body = piece
    if (status === 0) {
      head += piece.toString('latin1')
      const end = head.indexOf(headEnd)
      if (end === -1) return
      body = Buffer.from(head.slice(end + headEnd.length), 'latin1')
      status = Number(head.slice(9, 12))
      const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1]
      left = length === undefined ? undefined : Number(length)
      head = ''
    }
    if (left === undefined) {
      tail = (tail + body.toString('latin1')).slice(-chunksEnd.length)
      if (tail !== chunksEnd) return
    } else {
      left -= body.length
      if (left > 0) return
    }
    const whole = status
    status = 0
    tail = ''
    whenWhole(whole)
  }
}
