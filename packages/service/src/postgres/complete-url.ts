/** An address that needs no environment: for a process or thread that has another one. */

import { splitUrl, urlParameters } from './connection-url.ts'
import { type Surroundings, variables } from './settings.ts'

/** Holds the password, if there is one beside the address. */
export function completeUrl(
  url: string,
  { environment = process.env }: Pick<Surroundings, 'environment'> = {},
): string {
  const parts = splitUrl(url)
  const pairs = urlParameters.flatMap((name) => {
    const value = parts[name] ?? environment[variables[name]]
    return value ? [`${name}=${encodeURIComponent(value)}`] : []
  })
  return `postgres:///?${pairs.join('&')}`
}
