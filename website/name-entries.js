/** A plugin of TypeDoc: modules have the names that people import, not those of files. */

import { Converter } from 'typedoc'
import { entries } from './typedoc.js'

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.fileName
    const entry = entries.find((one) => one.file === file)
    if (entry !== undefined) reflection.name = entry.title
  })
}
