/** Roles that accounts hold: as members of a namespace, or as collaborators of one repository. */

import { z } from 'zod'
import { name, pageOf, paging, repository, role } from '../input/words.ts'
import { says } from './says.ts'

const namespace = name.describe('The name of the namespace.')
const member = name.describe('The account that is or becomes a member.')
const heldByMember = z.object({ namespace: z.string(), account: z.string(), role })

export const setMember = says({
  summary: 'Make an account a member of a namespace, or change its role there.',
  input: z.strictObject({
    namespace,
    account: member,
    role: role.describe('The role of the member; admin includes write, and write includes read.'),
  }),
  output: heldByMember,
})

export const listMembers = says({
  summary: 'List the members of a namespace and their roles.',
  input: z.strictObject({ namespace, ...paging }),
  output: pageOf(heldByMember),
})

export const deleteMember = says({
  summary: 'End the membership of an account in a namespace.',
  input: z.strictObject({ namespace, account: member }),
  output: z.object({ deleted: z.string().describe('The account that is not a member any more.') }),
})

const namedRepository = repository.describe('The repository, such as models/acme/bert.')
const collaborator = name.describe('The account that is or becomes a collaborator.')
const heldByCollaborator = z.object({ repository: z.string(), account: z.string(), role })

export const setCollaborator = says({
  summary: 'Give an account a role in one repository, or change it.',
  input: z.strictObject({
    repository: namedRepository,
    account: collaborator,
    role: role.describe('The role of the account; admin includes write, and write includes read.'),
  }),
  output: heldByCollaborator,
})

export const listCollaborators = says({
  summary: 'List the collaborators of a repository and their roles.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(heldByCollaborator),
})

export const deleteCollaborator = says({
  summary: 'End the role that an account has in one repository.',
  input: z.strictObject({ repository: namedRepository, account: collaborator }),
  output: z.object({
    deleted: z.string().describe('The account that is not a collaborator any more.'),
  }),
})
