/** Names that git takes for its own folder: whoever writes there can have git run a command. */

/** macOS leaves these characters out when it compares names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** The name without the characters that macOS leaves out. */
export function asMacReads(name: string): string {
  return name.replace(ignored, '')
}

/** As git itself refuses them in a commit: in any case, and as Windows and macOS read other names. */
export function isGitName(part: string): boolean {
  return /^(?:\.git|git~1)[. ]*(?::.*)?$/is.test(asMacReads(part))
}
