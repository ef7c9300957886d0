/** A value that is JSON already. Its text is written as it is, and its size is known without a walk over the value. */
export class JsonText {
  readonly text: string
  readonly bytes: number

  constructor(text: string) {
    this.text = text
    this.bytes = Buffer.byteLength(text)
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}
