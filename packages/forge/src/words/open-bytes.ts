/** Bytes whose end has not come yet, in a buffer that doubles: a body may come byte by byte. */
export class OpenBytes {
  #buffer = Buffer.alloc(0)
  length = 0

  /** The bytes so far, good until more are added. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  append(part: Uint8Array): void {
    const needed = this.length + part.length
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2))
      larger.set(this.bytes)
      this.#buffer = larger
    }
    this.#buffer.set(part, this.length)
    this.length = needed
  }

  /** All of them. The next ones begin anew. */
  take(): Buffer {
    const { bytes } = this
    this.#buffer = Buffer.alloc(0)
    this.length = 0
    return bytes
  }
}
