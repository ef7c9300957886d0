/** The shipped configuration of nginx, with a script that checks where the gate is asked. */

type Edit = readonly [shipped: string | RegExp, instead: string]

const edits: readonly Edit[] = [
  [/upstream latchkey_gate \{[^}]*\}\n/, ''],
  // What the script says stands in the headers of its answer, for which nginx asks no upstream.
  ['$upstream_http_latchkey_', '$sent_http_latchkey_'],
  ['$upstream_http_', '$sent_http_'],
  [
    'auth_request_set $latchkey_status         $upstream_status;',
    `auth_request_set $latchkey_status         $sent_http_latchkey_status;
        auth_request_set $latchkey_problem        $sent_http_latchkey_problem;`,
  ],
  // The script sees what was announced of a body, and refuses it with its own words.
  [/if \(\$latchkey_stray_body\) \{[^}]*\}[^}]*\}\n/, ''],
  [
    /location = \/latchkey-gate \{[^}]*\}/,
    `location = /latchkey-gate {
        internal;
        js_content latchkey.check;
    }`,
  ],
  // nginx hands on the challenge of a proxied 401, and not that of a script.
  [
    'location @latchkey_401 {',
    `location @latchkey_401 {
        add_header WWW-Authenticate $latchkey_challenge always;`,
  ],
  [/return 401 '[^']*';/, 'return 401 $latchkey_problem;'],
  [
    /return 403 '[^']*';/,
    `if ($latchkey_status = 400) {
            return 400 $latchkey_problem;
        }
        if ($latchkey_status = 404) {
            return 404 $latchkey_problem;
        }
        return 403 $latchkey_problem;`,
  ],
]

/** `shipped` is `latchkey.conf`, `script` the path of what `scriptFor` makes. */
export function insideConfiguration(shipped: string, script: string): string {
  const edited = edits.reduce((text, [before, instead]) => {
    const result = text.replaceAll(everywhere(before), () => instead)
    if (result === text) throw new Error(`the shipped configuration has no ${before} any more`)
    return result
  }, shipped)
  return `js_import latchkey from ${script};\n${edited}`
}

function everywhere(before: string | RegExp): string | RegExp {
  return typeof before === 'string' ? before : new RegExp(before, 'g')
}
