/** The runtime that a program finds: workerd, or Node with sources or compiled files. */

/**
 * Whether the runtime keeps requests apart, as workerd does. There a question to the hub, a timer and a signal belong to the request that made them. They end with it, without a
 * word to others that wait for them, and must not be touched by another request: each request asks by itself.
 */
export const areRequestsApart: boolean = globalThis.navigator?.userAgent === 'Cloudflare-Workers'

const ofSources = ['--conditions=@latchkey/source']

/** The flags with which Node runs a source file, so that it finds the other packages' sources; none for a compiled file. */
export function flagsFor(file: string | URL): readonly string[] {
  return String(file).endsWith('.ts') ? ofSources : []
}
