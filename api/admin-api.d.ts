// What admin-api declares, written by `npm run api`.
// . is index.d.ts
// ./read-json is input/read-json.d.ts

// index.d.ts
/** What each verb of the directory says: its words, its route, what it takes and answers. No database behind it. */
export * from './input/directory-file.js';
export * from './input/grants.js';
export * from './input/page.js';
export * from './input/read-input.js';
export * from './input/read-input-in-parts.js';
export * from './input/secret-shape.js';
export * from './input/verb-groups.js';
export * from './input/words.js';
export * from './link/questions.js';
export * from './nouns/apply.js';
export * from './nouns/changes.js';
export { mostShownHolders } from './nouns/commits.js';
export type { Revocation } from './nouns/revoke.js';
export * from './nouns/whoami.js';
export * from './openapi/open-api-document.js';
export * from './verbs/verb-over-http.js';
export * from './verbs/verbs.js';

// input/directory-file.d.ts
/** The directory file: its shape, and what no shape can say about it. */
import { type Refusal } from '@latchkey/protocol';
import { z } from 'zod';
import type { Pause } from './read-json.js';
declare const account: z.ZodObject<{
    name: z.ZodString;
    kind: z.ZodOptional<z.ZodEnum<{
        service: "service";
        user: "user";
    }>>;
    administrator: z.ZodOptional<z.ZodBoolean>;
    disabled: z.ZodOptional<z.ZodBoolean>;
}, z.core.$strict>;
declare const namespace: z.ZodObject<{
    name: z.ZodString;
    members: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodEnum<{
        admin: "admin";
        read: "read";
        write: "write";
    }>>>;
}, z.core.$strict>;
/** `"main": "<hash>"`, or with the branch it was made from. Without a commit, a branch that exists stays where it is. */
declare const moving: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>, z.ZodNull, z.ZodObject<{
    commit: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>>;
    from: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
}, z.core.$strict>]>;
declare const repository: z.ZodObject<{
    type: z.ZodEnum<{
        dataset: "dataset";
        model: "model";
        space: "space";
    }>;
    id: z.ZodString;
    visibility: z.ZodOptional<z.ZodEnum<{
        private: "private";
        public: "public";
    }>>;
    defaultBranch: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
    branches: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>, z.ZodNull, z.ZodObject<{
        commit: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>>;
        from: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
    }, z.core.$strict>]>>>;
    tags: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>>;
    refs: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>, z.ZodNull, z.ZodObject<{
        commit: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>>;
        from: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
    }, z.core.$strict>]>>>;
    commits: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodArray<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>>>;
    collaborators: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodEnum<{
        admin: "admin";
        read: "read";
        write: "write";
    }>>>;
    refRules: z.ZodOptional<z.ZodArray<z.ZodObject<{
        pattern: z.ZodString;
        write: z.ZodEnum<{
            admin: "admin";
            write: "write";
        }>;
    }, z.core.$strict>>>;
}, z.core.$strict>;
declare const hubToken: z.ZodObject<{
    account: z.ZodString;
    name: z.ZodString;
    kind: z.ZodEnum<{
        admin: "admin";
        "fine-grained": "fine-grained";
        read: "read";
        storage: "storage";
        write: "write";
    }>;
    grants: z.ZodOptional<z.ZodArray<z.ZodObject<{
        on: z.ZodString;
        contents: z.ZodEnum<{
            read: "read";
            write: "write";
        }>;
        refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
    }, z.core.$strict>>>;
    verbGroups: z.ZodOptional<z.ZodArray<z.ZodEnum<{
        account: "account";
        apply: "apply";
        changes: "changes";
        explain: "explain";
        "hub-token": "hub-token";
        keys: "keys";
        namespace: "namespace";
        ref: "ref";
        repository: "repository";
        revoke: "revoke";
    }>>>;
    expiresAt: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("./grants.js").Expiry, string>>>;
}, z.core.$strict>;
export declare const directoryFile: z.ZodObject<{
    accounts: z.ZodOptional<z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        kind: z.ZodOptional<z.ZodEnum<{
            service: "service";
            user: "user";
        }>>;
        administrator: z.ZodOptional<z.ZodBoolean>;
        disabled: z.ZodOptional<z.ZodBoolean>;
    }, z.core.$strict>>>;
    namespaces: z.ZodOptional<z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        members: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodEnum<{
            admin: "admin";
            read: "read";
            write: "write";
        }>>>;
    }, z.core.$strict>>>;
    repositories: z.ZodOptional<z.ZodArray<z.ZodObject<{
        type: z.ZodEnum<{
            dataset: "dataset";
            model: "model";
            space: "space";
        }>;
        id: z.ZodString;
        visibility: z.ZodOptional<z.ZodEnum<{
            private: "private";
            public: "public";
        }>>;
        defaultBranch: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
        branches: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>, z.ZodNull, z.ZodObject<{
            commit: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>>;
            from: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
        }, z.core.$strict>]>>>;
        tags: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>>;
        refs: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>, z.ZodNull, z.ZodObject<{
            commit: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>>;
            from: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
        }, z.core.$strict>]>>>;
        commits: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodArray<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>>>;
        collaborators: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodEnum<{
            admin: "admin";
            read: "read";
            write: "write";
        }>>>;
        refRules: z.ZodOptional<z.ZodArray<z.ZodObject<{
            pattern: z.ZodString;
            write: z.ZodEnum<{
                admin: "admin";
                write: "write";
            }>;
        }, z.core.$strict>>>;
    }, z.core.$strict>>>;
    hubTokens: z.ZodOptional<z.ZodArray<z.ZodObject<{
        account: z.ZodString;
        name: z.ZodString;
        kind: z.ZodEnum<{
            admin: "admin";
            "fine-grained": "fine-grained";
            read: "read";
            storage: "storage";
            write: "write";
        }>;
        grants: z.ZodOptional<z.ZodArray<z.ZodObject<{
            on: z.ZodString;
            contents: z.ZodEnum<{
                read: "read";
                write: "write";
            }>;
            refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strict>>>;
        verbGroups: z.ZodOptional<z.ZodArray<z.ZodEnum<{
            account: "account";
            apply: "apply";
            changes: "changes";
            explain: "explain";
            "hub-token": "hub-token";
            keys: "keys";
            namespace: "namespace";
            ref: "ref";
            repository: "repository";
            revoke: "revoke";
        }>>>;
        expiresAt: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("./grants.js").Expiry, string>>>;
    }, z.core.$strict>>>;
}, z.core.$strict>;
export type DirectoryFile = z.output<typeof directoryFile>;
export type AccountEntry = z.output<typeof account>;
export type NamespaceEntry = z.output<typeof namespace>;
export type RepositoryEntry = z.output<typeof repository>;
export type HubTokenEntry = z.output<typeof hubToken>;
export type MovingEntry = z.output<typeof moving>;
export declare function readDirectoryFile(value: unknown, pause: Pause): Promise<DirectoryFile | Refusal>;
export declare function halves(id: string): [namespace: string, name: string];
export declare function pathOf({ type, id }: RepositoryEntry): string;
export {};

// input/grants.d.ts
/** What a hub token carries, as people write it. */
import { z } from 'zod';
export declare const mostGrants = 64;
export declare const mostGrantPatterns = 64;
export declare const grant: z.ZodObject<{
    on: z.ZodString;
    contents: z.ZodEnum<{
        read: "read";
        write: "write";
    }>;
    refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
}, z.core.$strict>;
export declare const grants: z.ZodArray<z.ZodObject<{
    on: z.ZodString;
    contents: z.ZodEnum<{
        read: "read";
        write: "write";
    }>;
    refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
}, z.core.$strict>>;
export declare const expiry: z.ZodPipe<z.ZodString, z.ZodTransform<Expiry, string>>;
/** Null is never. */
export type Expiry = {
    readonly at: number | null;
};

// input/page.d.ts
/** Lists are answered in pages, so that no answer grows without bound. */
import { z } from 'zod';
export declare const longestPage = 1000;
/** The members that every list takes. */
export declare const paging: {
    limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
    after: z.ZodOptional<z.ZodString>;
};
export declare function pageOf<Item extends z.ZodType>(item: Item): z.ZodObject<{
    items: z.ZodArray<Item>;
    total: z.ZodNumber;
    next: z.ZodOptional<z.ZodString>;
}, z.core.$strip>;

// input/read-input-in-parts.d.ts
/** Reads an input by its schema, part by part: no input holds the event loop for longer than a part takes. */
import { type Refusal } from '@latchkey/protocol';
import { z } from 'zod';
import type { Pause } from './read-json.js';
export declare function readInputInParts<Schema extends z.ZodType>(schema: Schema, value: unknown, pause: Pause): Promise<z.output<Schema> | Refusal>;

// input/read-input.d.ts
/** Reads an input by its schema; the first mistake becomes a refusal that says where it is. */
import { type Refusal } from '@latchkey/protocol';
import type { z } from 'zod';
export type InputPath = readonly PropertyKey[];
/** By default zod compiles a function for every schema at its first use, for about a millisecond each. */
export declare const interpreted: {
    readonly jitless: true;
};
export declare function readInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | Refusal;
/** As part of an input, at this place. */
export declare function readAt<Schema extends z.ZodType>(schema: Schema, value: unknown, path: InputPath): z.output<Schema> | Refusal;
/** `what` completes a sentence that begins with the place: "must be …". */
export declare function mistake(path: InputPath, what: string): Refusal;
/** `repositories[2].branches.main`, and `tags["v1.0"]` where a dot would mislead. */
export declare function formatInputPath(path: InputPath): string;

// input/read-json.d.ts
/** Reads JSON strictly: a member given twice is a mistake, and every mistake has its place. */
import { type Refusal } from '@latchkey/protocol';
/** Undefined while there is no need to wait: the slice of the caller is not over. */
export type Pause = () => Promise<void> | undefined;
export type Json = null | boolean | number | string | Json[] | {
    [member: string]: Json;
};
export declare function readJson(text: string): Json | Refusal;
/** The same, with pauses in which others work. An object with very many members makes them late: it grows at one go. */
export declare function readJsonInSlices(text: string, pause: Pause, mostMembers?: number): Promise<Json | Refusal>;

// input/secret-shape.d.ts
/** Recognises a token that somebody put where a name belongs, so that it is neither stored nor repeated. */
export declare const tokenIsNoName = "looks like a token, which belongs nowhere here";
export declare function looksSecret(text: string): boolean;

// input/verb-groups.d.ts
/** What an `admin` hub token can be limited to. `apply` reaches everything. */
export declare const verbGroups: readonly ['account', 'namespace', 'repository', 'ref', 'hub-token', 'revoke', 'keys', 'changes', 'explain', 'apply'];
export type VerbGroup = (typeof verbGroups)[number];

// input/words.d.ts
/** The words that people put into the directory, each parsed once. */
import { type RefName } from '@latchkey/protocol';
import { z } from 'zod';
export declare const name: z.ZodString;
export declare const repoType: z.ZodEnum<{
    dataset: "dataset";
    model: "model";
    space: "space";
}>;
export declare const repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
export declare const expectedCommit = "must be a full commit hash: 40 or 64 hexadecimal digits, not all of them zero";
export declare const commitHash: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>;
export declare const commitOrNone: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash | import("@latchkey/protocol").NoCommit, string>>;
export declare const ref: z.ZodPipe<z.ZodString, z.ZodTransform<RefName, string>>;
/** As git gives it; whether a ref here can be called so is another question. */
export declare const fullRefName: z.ZodString;
export declare const movingRef: z.ZodPipe<z.ZodString, z.ZodTransform<RefName, string>>;
export declare const branch: z.ZodPipe<z.ZodString, z.ZodTransform<RefName, string>>;
export declare const refPattern: z.ZodString;
export declare const loseContent: z.ZodPreprocess<z.ZodDefault<z.ZodBoolean>, unknown>;
export declare const role: z.ZodEnum<{
    admin: "admin";
    read: "read";
    write: "write";
}>;
export declare const accountKind: z.ZodEnum<{
    service: "service";
    user: "user";
}>;
export declare const hubTokenKind: z.ZodEnum<{
    admin: "admin";
    "fine-grained": "fine-grained";
    read: "read";
    storage: "storage";
    write: "write";
}>;
export declare const verbGroupList: z.ZodArray<z.ZodEnum<{
    account: "account";
    apply: "apply";
    changes: "changes";
    explain: "explain";
    "hub-token": "hub-token";
    keys: "keys";
    namespace: "namespace";
    ref: "ref";
    repository: "repository";
    revoke: "revoke";
}>>;
export declare const visibility: z.ZodEnum<{
    private: "private";
    public: "public";
}>;
export declare const writeRole: z.ZodEnum<{
    admin: "admin";
    write: "write";
}>;
export declare const refRule: z.ZodObject<{
    pattern: z.ZodString;
    write: z.ZodEnum<{
        admin: "admin";
        write: "write";
    }>;
}, z.core.$strict>;
export declare const mostRefRules = 64;
export declare const moment: z.ZodString;
/** An id and nothing like a token itself: a token given by mistake is not echoed. */
export declare const hubTokenId: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").HubTokenId, string>>;
/** A bare name is a branch. */
export declare function readRef(text: string): RefName | undefined;
/** Branches and other refs hold commits; a tag only names one. */
export declare function isMoving(ref: RefName): boolean;
/** The only bridge from text to a parsed word. */
export declare function parsed<Word>(parse: (text: string) => Word | undefined, expected: string): z.ZodPipe<z.ZodString, z.ZodTransform<Awaited<Word>, string>>;
/** The same for words that stay text. */
export declare function checked(holds: (text: string) => boolean, expected: string): z.ZodString;

// link/questions.d.ts
/** What a storage asks its hub through the link, and what it is told: numbers and uids, never a name. */
import { z } from 'zod';
export declare const linkPrefix = "/link/v1";
export declare const changesQuestion: z.ZodObject<{
    after: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>>;
    known: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>>;
    wait: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
}, z.core.$strict>;
export declare const changesAnswer: z.ZodObject<{
    number: z.ZodNumber;
    removed: z.ZodArray<z.ZodString>;
    complete: z.ZodBoolean;
}, z.core.$strip>;
export declare const epochsQuestion: z.ZodObject<{
    repositories: z.ZodArray<z.ZodString>;
}, z.core.$strict>;
export declare const epochsAnswer: z.ZodObject<{
    raised: z.ZodNumber;
}, z.core.$strip>;
export declare const placesQuestion: z.ZodObject<{
    uids: z.ZodArray<z.ZodString>;
}, z.core.$strict>;
export declare const placesAnswer: z.ZodObject<{
    unknown: z.ZodArray<z.ZodString>;
}, z.core.$strip>;

// nouns/apply.d.ts
/** The verb that makes the directory as a file says. */
import { z } from 'zod';
export declare const appliedThings: readonly ['account', 'namespace', 'repository', 'ref', 'commit', 'hub-token'];
export declare const appliedDoings: readonly ['created', 'changed', 'deleted', 'recorded', 'revoked'];
/** One change, as the answer of a verb tells it that can change several things. */
export declare const appliedChange: z.ZodObject<{
    what: z.ZodEnum<{
        account: "account";
        commit: "commit";
        "hub-token": "hub-token";
        namespace: "namespace";
        ref: "ref";
        repository: "repository";
    }>;
    name: z.ZodString;
    did: z.ZodEnum<{
        changed: "changed";
        created: "created";
        deleted: "deleted";
        recorded: "recorded";
        revoked: "revoked";
    }>;
}, z.core.$strip>;
export declare const apply: import("./says.js").Says<z.ZodObject<{
    file: z.ZodUnknown;
    prune: z.ZodDefault<z.ZodBoolean>;
    dryRun: z.ZodDefault<z.ZodBoolean>;
    loseContent: z.ZodPreprocess<z.ZodDefault<z.ZodBoolean>, unknown>;
}, z.core.$strict>, z.ZodObject<{
    dryRun: z.ZodOptional<z.ZodBoolean>;
    changes: z.ZodArray<z.ZodObject<{
        what: z.ZodEnum<{
            account: "account";
            commit: "commit";
            "hub-token": "hub-token";
            namespace: "namespace";
            ref: "ref";
            repository: "repository";
        }>;
        name: z.ZodString;
        did: z.ZodEnum<{
            changed: "changed";
            created: "created";
            deleted: "deleted";
            recorded: "recorded";
            revoked: "revoked";
        }>;
    }, z.core.$strip>>;
    hubTokens: z.ZodArray<z.ZodObject<{
        account: z.ZodString;
        name: z.ZodString;
        token: z.ZodPipe<z.ZodPipe<z.ZodCustom<import("@latchkey/protocol").Secret<"hub-token">, import("@latchkey/protocol").Secret<"hub-token">>, z.ZodTransform<string, import("@latchkey/protocol").Secret<"hub-token">>>, z.ZodString>;
    }, z.core.$strip>>;
}, z.core.$strip>>;

// nouns/changes.d.ts
/** The journal of the directory: who changed what, and when. */
import { z } from 'zod';
/** A place in the journal: after this entry, or from this moment on. */
export type JournalPlace = {
    readonly number: number;
} | {
    readonly milliseconds: number;
};
export declare const journalEntry: z.ZodObject<{
    number: z.ZodNumber;
    previous: z.ZodNumber;
    at: z.ZodString;
    verb: z.ZodString;
    thing: z.ZodString;
    did: z.ZodString;
    actor: z.ZodObject<{
        account: z.ZodOptional<z.ZodString>;
        accountId: z.ZodOptional<z.ZodString>;
        hubToken: z.ZodOptional<z.ZodString>;
        user: z.ZodOptional<z.ZodString>;
    }, z.core.$strip>;
    requestId: z.ZodOptional<z.ZodString>;
    account: z.ZodOptional<z.ZodString>;
    accountId: z.ZodOptional<z.ZodString>;
    hubToken: z.ZodOptional<z.ZodString>;
    namespace: z.ZodOptional<z.ZodString>;
    namespaceId: z.ZodOptional<z.ZodString>;
    repository: z.ZodOptional<z.ZodString>;
    repositoryUid: z.ZodOptional<z.ZodString>;
    ref: z.ZodOptional<z.ZodString>;
    refUid: z.ZodOptional<z.ZodString>;
    narrows: z.ZodBoolean;
    before: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
    after: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
}, z.core.$strip>;
export type JournalEntry = z.output<typeof journalEntry>;
export declare const listChanges: import("./says.js").Says<z.ZodObject<{
    after: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<{
        readonly number: number;
    } | {
        readonly milliseconds: number;
    }, string>>>;
    wait: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
    last: z.ZodOptional<z.ZodCoercedNumber<unknown>>;
    repository: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>>;
    account: z.ZodOptional<z.ZodString>;
    limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
}, z.core.$strict>, z.ZodObject<{
    items: z.ZodArray<z.ZodObject<{
        number: z.ZodNumber;
        previous: z.ZodNumber;
        at: z.ZodString;
        verb: z.ZodString;
        thing: z.ZodString;
        did: z.ZodString;
        actor: z.ZodObject<{
            account: z.ZodOptional<z.ZodString>;
            accountId: z.ZodOptional<z.ZodString>;
            hubToken: z.ZodOptional<z.ZodString>;
            user: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        requestId: z.ZodOptional<z.ZodString>;
        account: z.ZodOptional<z.ZodString>;
        accountId: z.ZodOptional<z.ZodString>;
        hubToken: z.ZodOptional<z.ZodString>;
        namespace: z.ZodOptional<z.ZodString>;
        namespaceId: z.ZodOptional<z.ZodString>;
        repository: z.ZodOptional<z.ZodString>;
        repositoryUid: z.ZodOptional<z.ZodString>;
        ref: z.ZodOptional<z.ZodString>;
        refUid: z.ZodOptional<z.ZodString>;
        narrows: z.ZodBoolean;
        before: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
        after: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
    }, z.core.$strip>>;
    last: z.ZodNumber;
    oldest: z.ZodNumber;
}, z.core.$strip>>;

// nouns/commits.d.ts
/** Commits on record: each once per repository, with the moving refs that hold it and since when. */
import { z } from 'zod';
/** An answer stays small even for a commit that thousands of branches hold. */
export declare const mostShownHolders = 100;
export declare const recordCommit: import("./says.js").Says<z.ZodObject<{
    repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
    hash: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>;
    on: z.ZodDefault<z.ZodArray<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>>;
}, z.core.$strict>, z.ZodObject<{
    uid: z.ZodString;
    hash: z.ZodString;
    recordedAt: z.ZodString;
    on: z.ZodArray<z.ZodString>;
}, z.core.$strip>>;
export declare const listCommits: import("./says.js").Says<z.ZodObject<{
    limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
    after: z.ZodOptional<z.ZodString>;
    repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
}, z.core.$strict>, z.ZodObject<{
    items: z.ZodArray<z.ZodObject<{
        uid: z.ZodString;
        hash: z.ZodString;
        recordedAt: z.ZodString;
        on: z.ZodArray<z.ZodString>;
    }, z.core.$strip>>;
    total: z.ZodNumber;
    next: z.ZodOptional<z.ZodString>;
}, z.core.$strip>>;

// nouns/revoke.d.ts
/** Taking storage tokens back before they end; what could be asked for before can be asked for again. */
import { z } from 'zod';
/** How one of these verbs has ended. */
declare const revocation: z.ZodObject<{
    revoked: z.ZodBoolean;
    what: z.ZodString;
    number: z.ZodOptional<z.ZodInt>;
    bounds: z.ZodOptional<z.ZodString>;
    advice: z.ZodOptional<z.ZodString>;
    account: z.ZodOptional<z.ZodString>;
    hubToken: z.ZodOptional<z.ZodString>;
    repository: z.ZodOptional<z.ZodString>;
    ref: z.ZodOptional<z.ZodString>;
    tokenId: z.ZodOptional<z.ZodString>;
}, z.core.$strip>;
export type Revocation = z.input<typeof revocation>;
export declare const revokeToken: import("./says.js").Says<z.ZodObject<{
    token: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").Secret<"access-token">, string>>;
}, z.core.$strict>, z.ZodObject<{
    revoked: z.ZodBoolean;
    what: z.ZodString;
    number: z.ZodOptional<z.ZodInt>;
    bounds: z.ZodOptional<z.ZodString>;
    advice: z.ZodOptional<z.ZodString>;
    account: z.ZodOptional<z.ZodString>;
    hubToken: z.ZodOptional<z.ZodString>;
    repository: z.ZodOptional<z.ZodString>;
    ref: z.ZodOptional<z.ZodString>;
    tokenId: z.ZodOptional<z.ZodString>;
}, z.core.$strip>>;
export declare const revokeTokensOfHubToken: import("./says.js").Says<z.ZodObject<{
    hubToken: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").HubTokenId, string>>;
}, z.core.$strict>, z.ZodObject<{
    revoked: z.ZodBoolean;
    what: z.ZodString;
    number: z.ZodOptional<z.ZodInt>;
    bounds: z.ZodOptional<z.ZodString>;
    advice: z.ZodOptional<z.ZodString>;
    account: z.ZodOptional<z.ZodString>;
    hubToken: z.ZodOptional<z.ZodString>;
    repository: z.ZodOptional<z.ZodString>;
    ref: z.ZodOptional<z.ZodString>;
    tokenId: z.ZodOptional<z.ZodString>;
}, z.core.$strip>>;
export declare const revokeTokensOfAccount: import("./says.js").Says<z.ZodObject<{
    account: z.ZodString;
}, z.core.$strict>, z.ZodObject<{
    revoked: z.ZodBoolean;
    what: z.ZodString;
    number: z.ZodOptional<z.ZodInt>;
    bounds: z.ZodOptional<z.ZodString>;
    advice: z.ZodOptional<z.ZodString>;
    account: z.ZodOptional<z.ZodString>;
    hubToken: z.ZodOptional<z.ZodString>;
    repository: z.ZodOptional<z.ZodString>;
    ref: z.ZodOptional<z.ZodString>;
    tokenId: z.ZodOptional<z.ZodString>;
}, z.core.$strip>>;
export declare const revokeTokensOfRepository: import("./says.js").Says<z.ZodObject<{
    repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
}, z.core.$strict>, z.ZodObject<{
    revoked: z.ZodBoolean;
    what: z.ZodString;
    number: z.ZodOptional<z.ZodInt>;
    bounds: z.ZodOptional<z.ZodString>;
    advice: z.ZodOptional<z.ZodString>;
    account: z.ZodOptional<z.ZodString>;
    hubToken: z.ZodOptional<z.ZodString>;
    repository: z.ZodOptional<z.ZodString>;
    ref: z.ZodOptional<z.ZodString>;
    tokenId: z.ZodOptional<z.ZodString>;
}, z.core.$strip>>;
export declare const revokeTokensOfRef: import("./says.js").Says<z.ZodObject<{
    repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
    ref: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>;
}, z.core.$strict>, z.ZodObject<{
    revoked: z.ZodBoolean;
    what: z.ZodString;
    number: z.ZodOptional<z.ZodInt>;
    bounds: z.ZodOptional<z.ZodString>;
    advice: z.ZodOptional<z.ZodString>;
    account: z.ZodOptional<z.ZodString>;
    hubToken: z.ZodOptional<z.ZodString>;
    repository: z.ZodOptional<z.ZodString>;
    ref: z.ZodOptional<z.ZodString>;
    tokenId: z.ZodOptional<z.ZodString>;
}, z.core.$strip>>;
export {};

// nouns/says.d.ts
/** What a verb says: a sentence, what it takes and what it answers. */
import type { ZodObject, z } from 'zod';
export interface Says<Input extends ZodObject = ZodObject, Output extends z.ZodType = z.ZodType> {
    readonly summary: string;
    readonly input: Input;
    readonly output: Output;
}
/** Keeps the types of a verb's input and output. */
export declare function says<Input extends ZodObject, Output extends z.ZodType>(parts: Says<Input, Output>): Says<Input, Output>;

// nouns/whoami.d.ts
/** A hub token and its account, as they are shown to a caller that asks with it. */
import { z } from 'zod';
export declare const whoami: z.ZodObject<{
    account: z.ZodObject<{
        name: z.ZodString;
        kind: z.ZodEnum<{
            service: "service";
            user: "user";
        }>;
        administrator: z.ZodBoolean;
    }, z.core.$strip>;
    hubToken: z.ZodObject<{
        id: z.ZodString;
        account: z.ZodString;
        name: z.ZodString;
        kind: z.ZodEnum<{
            admin: "admin";
            "fine-grained": "fine-grained";
            read: "read";
            storage: "storage";
            write: "write";
        }>;
        hint: z.ZodString;
        grants: z.ZodOptional<z.ZodArray<z.ZodObject<{
            on: z.ZodString;
            contents: z.ZodEnum<{
                read: "read";
                write: "write";
            }>;
            refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        }, z.core.$strict>>>;
        verbGroups: z.ZodOptional<z.ZodArray<z.ZodString>>;
        createdAt: z.ZodString;
        expiresAt: z.ZodOptional<z.ZodString>;
        revokedAt: z.ZodOptional<z.ZodString>;
        lastUsedAt: z.ZodOptional<z.ZodString>;
    }, z.core.$strip>;
}, z.core.$strip>;
export type Whoami = z.output<typeof whoami>;

// openapi/open-api-document.d.ts
/** The description of every route as an OpenAPI 3.1 document, made from the table of verbs. */
export interface OpenApiOptions {
    readonly publicUrl: string;
    readonly version: string;
}
export interface OpenApiDocument {
    readonly openapi: '3.1.0';
    readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
    readonly [part: string]: unknown;
}
export declare function openApiDocument({ publicUrl, version }: OpenApiOptions): OpenApiDocument;

// verbs/verb-over-http.d.ts
/** How a verb of the directory behaves over HTTP. */
import type { Verb } from './verbs.js';
export declare const adminPrefix = "/admin/v1";
/** What a verb changes is told in a body; what it looks up or removes, in the path and the query. */
export declare function hasBody({ method }: Pick<Verb, 'method'>): boolean;
export declare function statusWhenDone({ words }: Pick<Verb, 'words'>): 200 | 201;
/** The input members that a path holds. */
export declare function memberNames({ path }: Pick<Verb, 'path'>): string[];
/** The segments of a path that a member is: a repository is three, everything else is one. */
export declare function segmentsOf(member: string): readonly string[];
/** A verb's path with a placeholder for each of its segments. */
export declare function pathTemplate({ path }: Pick<Verb, 'path'>): string;
export interface VerbAddress {
    readonly path: string;
    /** The input members that the path does not name: for the query, or for the body. */
    readonly rest: Readonly<Record<string, unknown>>;
}
/** Where to ask for a verb. */
export declare function addressOf({ path }: Pick<Verb, 'path'>, input: Readonly<Record<string, unknown>>): VerbAddress;

// verbs/verb.d.ts
/** One verb of the directory: the row from which its command, its route and its documentation are made. */
import type { VerbGroup } from '../input/verb-groups.js';
import type { Says } from '../nouns/says.js';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export interface VerbRow<Words extends string> extends Says {
    /** The words of the command: `account create`. */
    readonly words: Words;
    readonly group: VerbGroup;
    readonly method: Method;
    /** Below `/admin/v1`; `{repository}` stands for three segments, as in `models/acme/bert`. */
    readonly path: string;
    /** The input members that the command takes as arguments, in order; the others are options. */
    readonly positional: readonly string[];
}

// verbs/verbs.d.ts
/** Every verb of the directory. The command, the admin API and its documentation are made from this table. */
import type { ZodObject, z } from 'zod';
import type { VerbRow } from './verb.js';
declare const table: {
    'account create': {
        summary: string;
        input: ZodObject<{
            name: z.ZodString;
            kind: z.ZodDefault<z.ZodEnum<{
                service: "service";
                user: "user";
            }>>;
            administrator: z.ZodDefault<z.ZodBoolean>;
            disabled: z.ZodDefault<z.ZodBoolean>;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                service: "service";
                user: "user";
            }>;
            administrator: z.ZodBoolean;
            disabled: z.ZodBoolean;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'account list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                id: z.ZodString;
                name: z.ZodString;
                kind: z.ZodEnum<{
                    service: "service";
                    user: "user";
                }>;
                administrator: z.ZodBoolean;
                disabled: z.ZodBoolean;
                createdAt: z.ZodString;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'account show': {
        summary: string;
        input: ZodObject<{
            account: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                service: "service";
                user: "user";
            }>;
            administrator: z.ZodBoolean;
            disabled: z.ZodBoolean;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'account set': {
        summary: string;
        input: ZodObject<{
            account: z.ZodString;
            kind: z.ZodOptional<z.ZodEnum<{
                service: "service";
                user: "user";
            }>>;
            administrator: z.ZodOptional<z.ZodBoolean>;
            disabled: z.ZodOptional<z.ZodBoolean>;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                service: "service";
                user: "user";
            }>;
            administrator: z.ZodBoolean;
            disabled: z.ZodBoolean;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "PATCH";
        path: string;
        positional: string[];
    };
    'account delete': {
        summary: string;
        input: ZodObject<{
            account: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            deleted: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "DELETE";
        path: string;
        positional: string[];
    };
    'namespace create': {
        summary: string;
        input: ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            name: z.ZodString;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'namespace list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                id: z.ZodString;
                name: z.ZodString;
                createdAt: z.ZodString;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'namespace show': {
        summary: string;
        input: ZodObject<{
            namespace: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            name: z.ZodString;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'namespace delete': {
        summary: string;
        input: ZodObject<{
            namespace: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            deleted: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "DELETE";
        path: string;
        positional: string[];
    };
    'member set': {
        summary: string;
        input: ZodObject<{
            namespace: z.ZodString;
            account: z.ZodString;
            role: z.ZodEnum<{
                admin: "admin";
                read: "read";
                write: "write";
            }>;
        }, z.core.$strict>;
        output: ZodObject<{
            namespace: z.ZodString;
            account: z.ZodString;
            role: z.ZodEnum<{
                admin: "admin";
                read: "read";
                write: "write";
            }>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "PUT";
        path: string;
        positional: string[];
    };
    'member list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
            namespace: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                namespace: z.ZodString;
                account: z.ZodString;
                role: z.ZodEnum<{
                    admin: "admin";
                    read: "read";
                    write: "write";
                }>;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'member delete': {
        summary: string;
        input: ZodObject<{
            namespace: z.ZodString;
            account: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            deleted: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "DELETE";
        path: string;
        positional: string[];
    };
    'repo create': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            visibility: z.ZodDefault<z.ZodEnum<{
                private: "private";
                public: "public";
            }>>;
            defaultBranch: z.ZodPrefault<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
        }, z.core.$strict>;
        output: ZodObject<{
            uid: z.ZodString;
            repository: z.ZodString;
            visibility: z.ZodEnum<{
                private: "private";
                public: "public";
            }>;
            defaultBranch: z.ZodString;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'repo list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
            namespace: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                uid: z.ZodString;
                repository: z.ZodString;
                visibility: z.ZodEnum<{
                    private: "private";
                    public: "public";
                }>;
                defaultBranch: z.ZodString;
                createdAt: z.ZodString;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'repo show': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            uid: z.ZodString;
            repository: z.ZodString;
            visibility: z.ZodEnum<{
                private: "private";
                public: "public";
            }>;
            defaultBranch: z.ZodString;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'repo set': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            visibility: z.ZodOptional<z.ZodEnum<{
                private: "private";
                public: "public";
            }>>;
            defaultBranch: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
        }, z.core.$strict>;
        output: ZodObject<{
            uid: z.ZodString;
            repository: z.ZodString;
            visibility: z.ZodEnum<{
                private: "private";
                public: "public";
            }>;
            defaultBranch: z.ZodString;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "PATCH";
        path: string;
        positional: string[];
    };
    'repo delete': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            deleted: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "DELETE";
        path: string;
        positional: string[];
    };
    'collaborator set': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            account: z.ZodString;
            role: z.ZodEnum<{
                admin: "admin";
                read: "read";
                write: "write";
            }>;
        }, z.core.$strict>;
        output: ZodObject<{
            repository: z.ZodString;
            account: z.ZodString;
            role: z.ZodEnum<{
                admin: "admin";
                read: "read";
                write: "write";
            }>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "PUT";
        path: string;
        positional: string[];
    };
    'collaborator list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                repository: z.ZodString;
                account: z.ZodString;
                role: z.ZodEnum<{
                    admin: "admin";
                    read: "read";
                    write: "write";
                }>;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'collaborator delete': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            account: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            deleted: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "DELETE";
        path: string;
        positional: string[];
    };
    'ref-rule set': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            pattern: z.ZodString;
            write: z.ZodEnum<{
                admin: "admin";
                write: "write";
            }>;
        }, z.core.$strict>;
        output: ZodObject<{
            repository: z.ZodString;
            pattern: z.ZodString;
            write: z.ZodEnum<{
                admin: "admin";
                write: "write";
            }>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "PUT";
        path: string;
        positional: string[];
    };
    'ref-rule list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                repository: z.ZodString;
                pattern: z.ZodString;
                write: z.ZodEnum<{
                    admin: "admin";
                    write: "write";
                }>;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'ref-rule delete': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            pattern: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            deleted: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "DELETE";
        path: string;
        positional: string[];
    };
    'ref set': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            ref: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>;
            commit: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>>;
            from: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>;
            expect: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash | import("@latchkey/protocol").NoCommit, string>>>;
        }, z.core.$strict>;
        output: ZodObject<{
            uid: z.ZodString;
            name: z.ZodString;
            commit: z.ZodString;
            from: z.ZodOptional<z.ZodString>;
            forkedAt: z.ZodOptional<z.ZodString>;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "PUT";
        path: string;
        positional: string[];
    };
    'ref list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                uid: z.ZodString;
                name: z.ZodString;
                commit: z.ZodString;
                from: z.ZodOptional<z.ZodString>;
                forkedAt: z.ZodOptional<z.ZodString>;
                createdAt: z.ZodString;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'ref show': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            ref: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            uid: z.ZodString;
            name: z.ZodString;
            commit: z.ZodString;
            from: z.ZodOptional<z.ZodString>;
            forkedAt: z.ZodOptional<z.ZodString>;
            createdAt: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'ref update': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            updates: z.ZodArray<ZodObject<{
                ref: z.ZodString;
                old: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash | import("@latchkey/protocol").NoCommit, string>>;
                new: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash | import("@latchkey/protocol").NoCommit, string>>;
            }, z.core.$strict>>;
            force: z.ZodDefault<z.ZodBoolean>;
            loseContent: z.ZodPreprocess<z.ZodDefault<z.ZodBoolean>, unknown>;
        }, z.core.$strict>;
        output: ZodObject<{
            changes: z.ZodArray<ZodObject<{
                what: z.ZodEnum<{
                    account: "account";
                    commit: "commit";
                    "hub-token": "hub-token";
                    namespace: "namespace";
                    ref: "ref";
                    repository: "repository";
                }>;
                name: z.ZodString;
                did: z.ZodEnum<{
                    changed: "changed";
                    created: "created";
                    deleted: "deleted";
                    recorded: "recorded";
                    revoked: "revoked";
                }>;
            }, z.core.$strip>>;
            ignored: z.ZodArray<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'ref delete': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            ref: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>;
            loseContent: z.ZodPreprocess<z.ZodDefault<z.ZodBoolean>, unknown>;
        }, z.core.$strict>;
        output: ZodObject<{
            deleted: z.ZodString;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "DELETE";
        path: string;
        positional: string[];
    };
    'commit record': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            hash: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").CommitHash, string>>;
            on: z.ZodDefault<z.ZodArray<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>>>;
        }, z.core.$strict>;
        output: ZodObject<{
            uid: z.ZodString;
            hash: z.ZodString;
            recordedAt: z.ZodString;
            on: z.ZodArray<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'commit list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                uid: z.ZodString;
                hash: z.ZodString;
                recordedAt: z.ZodString;
                on: z.ZodArray<z.ZodString>;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'hub-token create': {
        summary: string;
        input: ZodObject<{
            grants: z.ZodOptional<z.ZodArray<ZodObject<{
                on: z.ZodString;
                contents: z.ZodEnum<{
                    read: "read";
                    write: "write";
                }>;
                refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strict>>>;
            verbGroups: z.ZodOptional<z.ZodArray<z.ZodEnum<{
                account: "account";
                apply: "apply";
                changes: "changes";
                explain: "explain";
                "hub-token": "hub-token";
                keys: "keys";
                namespace: "namespace";
                ref: "ref";
                repository: "repository";
                revoke: "revoke";
            }>>>;
            expiresAt: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("../index.js").Expiry, string>>>;
            account: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                admin: "admin";
                "fine-grained": "fine-grained";
                read: "read";
                storage: "storage";
                write: "write";
            }>;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            account: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                admin: "admin";
                "fine-grained": "fine-grained";
                read: "read";
                storage: "storage";
                write: "write";
            }>;
            hint: z.ZodString;
            grants: z.ZodOptional<z.ZodArray<ZodObject<{
                on: z.ZodString;
                contents: z.ZodEnum<{
                    read: "read";
                    write: "write";
                }>;
                refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strict>>>;
            verbGroups: z.ZodOptional<z.ZodArray<z.ZodString>>;
            createdAt: z.ZodString;
            expiresAt: z.ZodOptional<z.ZodString>;
            revokedAt: z.ZodOptional<z.ZodString>;
            lastUsedAt: z.ZodOptional<z.ZodString>;
            token: z.ZodPipe<z.ZodPipe<z.ZodCustom<import("@latchkey/protocol").Secret<"hub-token">, import("@latchkey/protocol").Secret<"hub-token">>, z.ZodTransform<string, import("@latchkey/protocol").Secret<"hub-token">>>, z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'hub-token list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
            account: z.ZodOptional<z.ZodString>;
            state: z.ZodDefault<z.ZodEnum<{
                all: "all";
                live: "live";
                revoked: "revoked";
            }>>;
            hint: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                id: z.ZodString;
                account: z.ZodString;
                name: z.ZodString;
                kind: z.ZodEnum<{
                    admin: "admin";
                    "fine-grained": "fine-grained";
                    read: "read";
                    storage: "storage";
                    write: "write";
                }>;
                hint: z.ZodString;
                grants: z.ZodOptional<z.ZodArray<ZodObject<{
                    on: z.ZodString;
                    contents: z.ZodEnum<{
                        read: "read";
                        write: "write";
                    }>;
                    refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
                }, z.core.$strict>>>;
                verbGroups: z.ZodOptional<z.ZodArray<z.ZodString>>;
                createdAt: z.ZodString;
                expiresAt: z.ZodOptional<z.ZodString>;
                revokedAt: z.ZodOptional<z.ZodString>;
                lastUsedAt: z.ZodOptional<z.ZodString>;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'hub-token show': {
        summary: string;
        input: ZodObject<{
            hubToken: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").HubTokenId, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            account: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                admin: "admin";
                "fine-grained": "fine-grained";
                read: "read";
                storage: "storage";
                write: "write";
            }>;
            hint: z.ZodString;
            grants: z.ZodOptional<z.ZodArray<ZodObject<{
                on: z.ZodString;
                contents: z.ZodEnum<{
                    read: "read";
                    write: "write";
                }>;
                refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strict>>>;
            verbGroups: z.ZodOptional<z.ZodArray<z.ZodString>>;
            createdAt: z.ZodString;
            expiresAt: z.ZodOptional<z.ZodString>;
            revokedAt: z.ZodOptional<z.ZodString>;
            lastUsedAt: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'hub-token set': {
        summary: string;
        input: ZodObject<{
            grants: z.ZodOptional<z.ZodArray<ZodObject<{
                on: z.ZodString;
                contents: z.ZodEnum<{
                    read: "read";
                    write: "write";
                }>;
                refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strict>>>;
            verbGroups: z.ZodOptional<z.ZodArray<z.ZodEnum<{
                account: "account";
                apply: "apply";
                changes: "changes";
                explain: "explain";
                "hub-token": "hub-token";
                keys: "keys";
                namespace: "namespace";
                ref: "ref";
                repository: "repository";
                revoke: "revoke";
            }>>>;
            expiresAt: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("../index.js").Expiry, string>>>;
            hubToken: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").HubTokenId, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            account: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                admin: "admin";
                "fine-grained": "fine-grained";
                read: "read";
                storage: "storage";
                write: "write";
            }>;
            hint: z.ZodString;
            grants: z.ZodOptional<z.ZodArray<ZodObject<{
                on: z.ZodString;
                contents: z.ZodEnum<{
                    read: "read";
                    write: "write";
                }>;
                refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strict>>>;
            verbGroups: z.ZodOptional<z.ZodArray<z.ZodString>>;
            createdAt: z.ZodString;
            expiresAt: z.ZodOptional<z.ZodString>;
            revokedAt: z.ZodOptional<z.ZodString>;
            lastUsedAt: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "PATCH";
        path: string;
        positional: string[];
    };
    'hub-token revoke': {
        summary: string;
        input: ZodObject<{
            hubToken: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").HubTokenId, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            id: z.ZodString;
            account: z.ZodString;
            name: z.ZodString;
            kind: z.ZodEnum<{
                admin: "admin";
                "fine-grained": "fine-grained";
                read: "read";
                storage: "storage";
                write: "write";
            }>;
            hint: z.ZodString;
            grants: z.ZodOptional<z.ZodArray<ZodObject<{
                on: z.ZodString;
                contents: z.ZodEnum<{
                    read: "read";
                    write: "write";
                }>;
                refs: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            }, z.core.$strict>>>;
            verbGroups: z.ZodOptional<z.ZodArray<z.ZodString>>;
            createdAt: z.ZodString;
            expiresAt: z.ZodOptional<z.ZodString>;
            revokedAt: z.ZodOptional<z.ZodString>;
            lastUsedAt: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'revoke token': {
        summary: string;
        input: ZodObject<{
            token: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").Secret<"access-token">, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            revoked: z.ZodBoolean;
            what: z.ZodString;
            number: z.ZodOptional<z.ZodInt>;
            bounds: z.ZodOptional<z.ZodString>;
            advice: z.ZodOptional<z.ZodString>;
            account: z.ZodOptional<z.ZodString>;
            hubToken: z.ZodOptional<z.ZodString>;
            repository: z.ZodOptional<z.ZodString>;
            ref: z.ZodOptional<z.ZodString>;
            tokenId: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'revoke hub-token': {
        summary: string;
        input: ZodObject<{
            hubToken: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").HubTokenId, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            revoked: z.ZodBoolean;
            what: z.ZodString;
            number: z.ZodOptional<z.ZodInt>;
            bounds: z.ZodOptional<z.ZodString>;
            advice: z.ZodOptional<z.ZodString>;
            account: z.ZodOptional<z.ZodString>;
            hubToken: z.ZodOptional<z.ZodString>;
            repository: z.ZodOptional<z.ZodString>;
            ref: z.ZodOptional<z.ZodString>;
            tokenId: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'revoke account': {
        summary: string;
        input: ZodObject<{
            account: z.ZodString;
        }, z.core.$strict>;
        output: ZodObject<{
            revoked: z.ZodBoolean;
            what: z.ZodString;
            number: z.ZodOptional<z.ZodInt>;
            bounds: z.ZodOptional<z.ZodString>;
            advice: z.ZodOptional<z.ZodString>;
            account: z.ZodOptional<z.ZodString>;
            hubToken: z.ZodOptional<z.ZodString>;
            repository: z.ZodOptional<z.ZodString>;
            ref: z.ZodOptional<z.ZodString>;
            tokenId: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'revoke repository': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            revoked: z.ZodBoolean;
            what: z.ZodString;
            number: z.ZodOptional<z.ZodInt>;
            bounds: z.ZodOptional<z.ZodString>;
            advice: z.ZodOptional<z.ZodString>;
            account: z.ZodOptional<z.ZodString>;
            hubToken: z.ZodOptional<z.ZodString>;
            repository: z.ZodOptional<z.ZodString>;
            ref: z.ZodOptional<z.ZodString>;
            tokenId: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'revoke ref': {
        summary: string;
        input: ZodObject<{
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            ref: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RefName, string>>;
        }, z.core.$strict>;
        output: ZodObject<{
            revoked: z.ZodBoolean;
            what: z.ZodString;
            number: z.ZodOptional<z.ZodInt>;
            bounds: z.ZodOptional<z.ZodString>;
            advice: z.ZodOptional<z.ZodString>;
            account: z.ZodOptional<z.ZodString>;
            hubToken: z.ZodOptional<z.ZodString>;
            repository: z.ZodOptional<z.ZodString>;
            ref: z.ZodOptional<z.ZodString>;
            tokenId: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'keys list': {
        summary: string;
        input: ZodObject<{
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            after: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                kid: z.ZodString;
                purpose: z.ZodEnum<{
                    revocations: "revocations";
                    tokens: "tokens";
                }>;
                alg: z.ZodString;
                state: z.ZodEnum<{
                    published: "published";
                    retiring: "retiring";
                    signing: "signing";
                }>;
                since: z.ZodString;
                next: z.ZodOptional<z.ZodEnum<{
                    "gets a successor": "gets a successor";
                    "is removed": "is removed";
                    retires: "retires";
                    signs: "signs";
                }>>;
                nextAt: z.ZodOptional<z.ZodString>;
                createdAt: z.ZodString;
            }, z.core.$strip>>;
            total: z.ZodNumber;
            next: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    'keys rotate': {
        summary: string;
        input: ZodObject<{
            use: z.ZodDefault<z.ZodEnum<{
                revocations: "revocations";
                tokens: "tokens";
            }>>;
            compromised: z.ZodDefault<z.ZodBoolean>;
        }, z.core.$strict>;
        output: ZodObject<{
            done: z.ZodArray<z.ZodString>;
            signing: z.ZodOptional<z.ZodString>;
            next: z.ZodArray<z.ZodString>;
            cost: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    'keys retire': {
        summary: string;
        input: ZodObject<{
            kid: z.ZodString;
            compromised: z.ZodDefault<z.ZodBoolean>;
        }, z.core.$strict>;
        output: ZodObject<{
            done: z.ZodArray<z.ZodString>;
            signing: z.ZodOptional<z.ZodString>;
            next: z.ZodArray<z.ZodString>;
            cost: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
    changes: {
        summary: string;
        input: ZodObject<{
            after: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<{
                readonly number: number;
            } | {
                readonly milliseconds: number;
            }, string>>>;
            wait: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
            last: z.ZodOptional<z.ZodCoercedNumber<unknown>>;
            repository: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>>;
            account: z.ZodOptional<z.ZodString>;
            limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
        }, z.core.$strict>;
        output: ZodObject<{
            items: z.ZodArray<ZodObject<{
                number: z.ZodNumber;
                previous: z.ZodNumber;
                at: z.ZodString;
                verb: z.ZodString;
                thing: z.ZodString;
                did: z.ZodString;
                actor: ZodObject<{
                    account: z.ZodOptional<z.ZodString>;
                    accountId: z.ZodOptional<z.ZodString>;
                    hubToken: z.ZodOptional<z.ZodString>;
                    user: z.ZodOptional<z.ZodString>;
                }, z.core.$strip>;
                requestId: z.ZodOptional<z.ZodString>;
                account: z.ZodOptional<z.ZodString>;
                accountId: z.ZodOptional<z.ZodString>;
                hubToken: z.ZodOptional<z.ZodString>;
                namespace: z.ZodOptional<z.ZodString>;
                namespaceId: z.ZodOptional<z.ZodString>;
                repository: z.ZodOptional<z.ZodString>;
                repositoryUid: z.ZodOptional<z.ZodString>;
                ref: z.ZodOptional<z.ZodString>;
                refUid: z.ZodOptional<z.ZodString>;
                narrows: z.ZodBoolean;
                before: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                after: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
            }, z.core.$strip>>;
            last: z.ZodNumber;
            oldest: z.ZodNumber;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    explain: {
        summary: string;
        input: ZodObject<{
            scope: z.ZodEnum<{
                read: "read";
                write: "write";
            }>;
            repository: z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").RepoRef, string>>;
            revision: z.ZodOptional<z.ZodString>;
            account: z.ZodString;
            hubToken: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("@latchkey/protocol").HubTokenId, string>>>;
        }, z.core.$strict>;
        output: ZodObject<{
            allowed: z.ZodBoolean;
            code: z.ZodOptional<z.ZodString>;
            detail: z.ZodString;
            steps: z.ZodArray<ZodObject<{
                step: z.ZodString;
                passed: z.ZodBoolean;
                detail: z.ZodString;
            }, z.core.$strip>>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "GET";
        path: string;
        positional: string[];
    };
    apply: {
        summary: string;
        input: ZodObject<{
            file: z.ZodUnknown;
            prune: z.ZodDefault<z.ZodBoolean>;
            dryRun: z.ZodDefault<z.ZodBoolean>;
            loseContent: z.ZodPreprocess<z.ZodDefault<z.ZodBoolean>, unknown>;
        }, z.core.$strict>;
        output: ZodObject<{
            dryRun: z.ZodOptional<z.ZodBoolean>;
            changes: z.ZodArray<ZodObject<{
                what: z.ZodEnum<{
                    account: "account";
                    commit: "commit";
                    "hub-token": "hub-token";
                    namespace: "namespace";
                    ref: "ref";
                    repository: "repository";
                }>;
                name: z.ZodString;
                did: z.ZodEnum<{
                    changed: "changed";
                    created: "created";
                    deleted: "deleted";
                    recorded: "recorded";
                    revoked: "revoked";
                }>;
            }, z.core.$strip>>;
            hubTokens: z.ZodArray<ZodObject<{
                account: z.ZodString;
                name: z.ZodString;
                token: z.ZodPipe<z.ZodPipe<z.ZodCustom<import("@latchkey/protocol").Secret<"hub-token">, import("@latchkey/protocol").Secret<"hub-token">>, z.ZodTransform<string, import("@latchkey/protocol").Secret<"hub-token">>>, z.ZodString>;
            }, z.core.$strip>>;
        }, z.core.$strip>;
        group: "account" | "apply" | "changes" | "explain" | "hub-token" | "keys" | "namespace" | "ref" | "repository" | "revoke";
        method: "POST";
        path: string;
        positional: string[];
    };
};
export type VerbTable = typeof table;
export type Words = keyof VerbTable;
export type Verb = VerbRow<Words>;
export declare const verbs: readonly Verb[];
export {};
