/** A file that is uploaded: where it lies, what it is called in a manifest, and its bytes. */

export interface Source {
  /** As the person named it, or below the folder they named. */
  readonly file: string
  /** Empty where it has no name: standard input. */
  readonly path: string
  /** Undefined where it is not known before the end: standard input, a pipe. */
  readonly size: number | undefined
  open(): AsyncIterable<Uint8Array>
  /** Lets go of what may never end. */
  close(): void
}
