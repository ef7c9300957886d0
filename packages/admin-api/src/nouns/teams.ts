/** Teams: accounts of a namespace that get their roles together. */

import { z } from 'zod'
import { expiry } from '../input/grants.ts'
import {
  moment,
  name,
  pageOf,
  paging,
  providerGroup,
  repository,
  role,
  teamRole,
} from '../input/words.ts'
import { says } from './says.ts'

const namespace = name.describe('The name of the namespace.')
const namedTeam = name.describe('The name of the team in its namespace.')

const team = z.object({
  id: z.string(),
  namespace: z.string(),
  team: z.string(),
  role: teamRole.describe('The role of its members in the whole namespace.'),
  createdAt: moment,
})

export const createTeam = says({
  summary: 'Create a team in a namespace.',
  input: z.strictObject({
    namespace,
    team: name.describe('The name of the new team, unique in its namespace ignoring case.'),
    role: teamRole
      .default('none')
      .describe('The role of its members in the whole namespace; none: only in repositories.'),
  }),
  output: team,
})

export const showTeam = says({
  summary: 'Show one team.',
  input: z.strictObject({ namespace, team: namedTeam }),
  output: team,
})

export const listTeams = says({
  summary: 'List the teams of a namespace by name.',
  input: z.strictObject({ namespace, ...paging }),
  output: pageOf(team),
})

export const setTeam = says({
  summary: 'Change the role that a team has in its namespace.',
  input: z.strictObject({
    namespace,
    team: namedTeam,
    role: teamRole.describe('The role of its members in the whole namespace, or none.'),
  }),
  output: team,
})

export const deleteTeam = says({
  summary: 'Delete a team with its memberships and roles.',
  input: z.strictObject({ namespace, team: namedTeam }),
  output: z.object({ deleted: z.string().describe('The deleted team.') }),
})

const account = name.describe('The account that is or becomes a member of the team.')

const teamMember = z.object({
  namespace: z.string(),
  team: z.string(),
  account: z.string(),
  until: moment.optional().describe('When the membership ends.'),
})

export const setTeamMember = says({
  summary: 'Add an account to a team, or change when its membership ends.',
  input: z.strictObject({
    namespace,
    team: namedTeam,
    account,
    until: expiry
      .default({ at: null })
      .describe('When the membership ends: a time with its zone, or never.'),
  }),
  output: teamMember,
})

export const listTeamMembers = says({
  summary: 'List the members of a team.',
  input: z.strictObject({ namespace, team: namedTeam, ...paging }),
  output: pageOf(teamMember),
})

export const deleteTeamMember = says({
  summary: 'Remove an account from a team.',
  input: z.strictObject({ namespace, team: namedTeam, account }),
  output: z.object({
    deleted: z.string().describe('The account that is not in the team any more.'),
  }),
})

const provider = name.describe('The name of an identity provider of the configuration.')
const group = providerGroup.describe(
  'A value of the groups claim of the provider, compared exactly: its people become members.',
)

const teamGroup = z.object({
  namespace: z.string(),
  team: z.string(),
  provider: z.string(),
  group: z.string(),
})

export const setTeamGroup = says({
  summary: 'Make the people of a group of an identity provider members of a team.',
  input: z.strictObject({ namespace, team: namedTeam, provider, group }),
  output: teamGroup,
})

export const listTeamGroups = says({
  summary: 'List the groups of identity providers that a team names.',
  input: z.strictObject({ namespace, team: namedTeam, ...paging }),
  output: pageOf(teamGroup),
})

export const deleteTeamGroup = says({
  summary: 'End the memberships in a team that come from a group of an identity provider.',
  input: z.strictObject({ namespace, team: namedTeam, provider, group }),
  output: z.object({
    deleted: z.string().describe('The group that the team does not name any more.'),
  }),
})

const namedRepository = repository.describe('The repository, such as models/acme/bert.')
const ownTeam = name.describe("The name of a team of the repository's namespace.")
const heldByTeam = z.object({ repository: z.string(), team: z.string(), role })

export const setTeamRole = says({
  summary: 'Give a team a role in one repository of its namespace, or change it.',
  input: z.strictObject({
    repository: namedRepository,
    team: ownTeam,
    role: role.describe('The role of its members; admin includes write, and write includes read.'),
  }),
  output: heldByTeam,
})

export const listTeamRoles = says({
  summary: 'List the teams with a role in one repository.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(heldByTeam),
})

export const deleteTeamRole = says({
  summary: 'End the role that a team has in one repository.',
  input: z.strictObject({ repository: namedRepository, team: ownTeam }),
  output: z.object({ deleted: z.string().describe('The team without a role there any more.') }),
})
