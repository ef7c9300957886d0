/** The address at which a process of the same machine reaches a listener. */

/** A listener on every address is reached at the loopback one. */
export function localUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
