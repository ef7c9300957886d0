/** The form of an apply file, as the admin API declares it. */

import { openApiDocument } from '@latchkey/admin-api'
import type { Schema } from './parts.ts'

interface Components {
  readonly schemas: { readonly DirectoryFile: Schema }
}

const document = openApiDocument({ publicUrl: 'https://hub.example', version: '' })

export const applyFile: Schema = (document['components'] as Components).schemas.DirectoryFile
