"""What defines something in each language: one declarative row per grammar, read by `connote.chunk.outline`.

A row is `kind: node_type[@rule] node_type … | kind: …`; `<other` takes over the row of another grammar.
Node types that the installed grammar does not know are left out, so that one row serves old and new grammars.

Kinds are those of `connote.model.SYMBOL_KINDS`, and some words that define nothing themselves:

- `wrap`: stands around a definition, which takes over its range (`export`, decorators, `template <…>`);
- `local`: a body; the kinds marked `?` are left out directly inside one (a local variable is no definition);
- `import`: an import statement;
- `embedded`: holds a text of another language, read by `connote.chunk.embedded`;
- `attribute`: an annotation that is a sibling of what it belongs to;
- `body`: what a signature ends before, where no field and no usual name says so;
- `doc`: what stands first in a definition, or first in its body, and documents it.

Kinds with their own logic are functions of `connote.chunk.special`: `value`, `assigned`, `call`, `list` and others.

The rules after `@` say where the name stands; without one it is the field `name`:

- `@field`: the text of that field; `@a/b`: of what is found on this way down, each step a field or the type of a child;
  `@a/b,c`: on the first of these ways that leads somewhere;
- `@first:t1,t2`: the field `name`, else the first child of one of these types;
- `@decl`: the field `declarator`, followed down to the identifier (the C family);
- `@word`: the first word after a keyword; `@labels`: the labels before `{`, joined by dots;
- `@head:field`: that field's text up to the first `(`; `@=name`: always this name; `@.`: the node itself;
- others are patterns over the text, such as `@alias`, in `connote.chunk.names`.

A node type may be a path: `a>b>c` is a c directly below a b directly below an a.
"""

from __future__ import annotations

from connote.chunk.rows_general import GENERAL
from connote.chunk.rows_special import SPECIAL

DEFINITIONS: dict[str, str] = {**GENERAL, **SPECIAL}
"""Grammar name to its row."""
