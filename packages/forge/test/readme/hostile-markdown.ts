/** Markdown of somebody who wants a page to run a script, to load something, or to take forever. */

import fc from 'fast-check'

const pieces = [
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<!--',
    '-->',
  ],
  ...[
    '<iframe src="javascript:alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    '<style>*{}</style>',
  ],
  ...[
    '<base href="//evil.example">',
    '<form action=/logout method=post>',
    '<![CDATA[',
    '<?php',
    '</div>',
  ],
  ...[
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\nscript:alert(1))',
    '[x](data:text/html,x)',
  ],
  ...[
    '[x](&#106;avascript:alert(1))',
    '[x](\u0001javascript:alert(1))',
    '[x](vbscript:x)',
    '[x](//evil.example/x)',
  ],
  ...[
    '[x](http://evil.example/"onmouseover="alert(1))',
    '[x](<a b"c>)',
    '[x](\\\\evil.example)',
    '[x](../../../x)',
  ],
  ...[
    '![x](http://evil.example/x.png)',
    '![x"onerror="alert(1)](y)',
    '![x](data:image/svg+xml,<svg/>)',
    '![](x)',
  ],
  ...[
    '<javascript:alert(1)>',
    '<http://a.example/"x>',
    '<a@b.example>',
    '[r]: javascript:alert(1) "t"\n',
    '[r]',
  ],
  ...[
    '[r]: http://x.example/\'"> "t\'>"\n',
    '[a](b "t\\"onload=x")',
    '`<b>`',
    '```html"onload\n<b>\n```\n',
    '~~~\n',
  ],
  ...[
    '| a | b |\n|:-:|--:|\n| <b> | "x" |\n',
    '> ',
    '- ',
    '1. ',
    '999999999999. ',
    '# ',
    '## <b>"\n',
    '---\n',
    '***',
  ],
  ...[
    '&lt;script&gt;',
    '&#60;script&#62;',
    '&quot;',
    '\\<',
    '"',
    "'",
    '<',
    '>',
    '&',
    '\0',
    '\u202e',
    '\ud800',
    '\n',
    '\n\n',
    '    ',
  ],
  ...['*', '_', '**', '~~', '`', '[', ']', '(', ')', '!', '|', 'a', 'word', 'http://x.example/'],
]

export const hostileMarkdown: fc.Arbitrary<string> = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...pieces) }, fc.string({ maxLength: 8 })),
    {
      maxLength: 24,
    },
  )
  .map((parts) => parts.join(''))
