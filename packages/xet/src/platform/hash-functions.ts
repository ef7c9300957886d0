/** The result has memory of its own. */
export type HashOf = (bytes: Uint8Array | string) => Uint8Array<ArrayBuffer>

export interface RunningBlake3 {
  update(bytes: Uint8Array): unknown
  digest(format: 'hex'): string
}

export interface RunningSha256 {
  update(bytes: Uint8Array): unknown
  digest(): Uint8Array
}
