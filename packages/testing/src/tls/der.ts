/** The few forms of DER that a certificate is written in. */

export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff)
}

export function sequence(...members: readonly Uint8Array[]): Buffer {
  return der(0x30, ...members)
}

/** `2.5.4.3`; every arc after the first two is written in groups of seven bits. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(arcOf)]))
}

function arcOf(arc: number): number[] {
  const groups = [arc & 0x7f]
  for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
  return groups
}

/** To the second, in two digits of the year. */
export function utcTime(date: Date): Buffer {
  const text = date.toISOString().replace(/^..(..)-(..)-(..)T(..):(..):(..).*$/, '$1$2$3$4$5$6Z')
  return der(0x17, Buffer.from(text))
}
