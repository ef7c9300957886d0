/** What a storage token may do: read, or write and therefore read. */

export const scopes = ['read', 'write'] as const

export type Scope = (typeof scopes)[number]

/** spec: Authentication 3. */
export function scopeCovers(held: Scope, wanted: Scope): boolean {
  return held === 'write' || wanted === 'read'
}
