/** What a plain word of YAML means: the core schema of YAML 1.2, in which `no` is a text. */

export type Scalar = string | number | boolean | null

export function resolvePlain(text: string): Scalar {
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return null
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return numberIn(text) ?? text
}

/** A number that JSON cannot hold exactly stays a text. */
function numberIn(text: string): number | undefined {
  const isInteger =
    /^[-+]?\d{1,15}$/.test(text) || /^0x[0-9a-fA-F]{1,12}$|^0o[0-7]{1,16}$/.test(text)
  const isDecimal = /^[-+]?(?:\.\d{1,30}|\d{1,30}\.\d{0,30})(?:[eE][-+]?\d{1,3})?$/.test(text)
  if (!isInteger && !isDecimal && !/^[-+]?\d{1,15}[eE][-+]?\d{1,3}$/.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}
