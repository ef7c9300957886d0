/** The flags with which Node runs a source file, so that it finds the other packages' sources. */

const ofSources = ['--conditions=@latchkey/source']

/** None for a compiled file, which finds them compiled. */
export function flagsFor(file: string | URL): readonly string[] {
  return String(file).endsWith('.ts') ? ofSources : []
}
