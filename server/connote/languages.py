"""Which language a file is written in, and which grammar reads it: one table."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """How files of a language are recognised. All lists are of lower-case words."""

    extensions: tuple[str, ...] = ()
    """Without the leading dot; one may hold dots, such as `blade.php`, and the longest wins."""
    names: tuple[str, ...] = ()
    """Whole file names, lower-cased."""
    shebangs: tuple[str, ...] = ()
    """Interpreters named on a `#!` line, without a version."""
    grammar: str | None = None
    """Name of the tree-sitter grammar; None where there is none that helps."""


def language_named(name: str) -> str:
    """Name the language that is meant: by its name, or by an extension of its files, such as `ts`.

    What means none is returned as it is, in lower case.
    """
    name = name.lower()
    return name if name in LANGUAGES else detect_language(f"x.{name}") or name


def detect_language(path: str, text: str | None = None) -> str | None:
    """Name the language of a file, or None.

    The file's name decides first, then its extension, both without regard to case;
    with `text`, its `#!` line decides for a name that says nothing,
    and its words for an extension that several languages share.
    """
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    found = _BY_NAME.get(name)
    if found is None and "." in name:
        # The longest extension first: `view.blade.php` is asked for as `blade.php`, then `php`.
        parts = name.split(".")
        for i in range(1, len(parts)):
            found = _BY_EXTENSION.get(".".join(parts[i:]))
            if found is not None:
                break
        else:
            found = _BY_NAME.get(parts[0]) if parts[0] in _NAMES_WITH_SUFFIX else None
    if text is None:
        return found
    if found is None:
        return _by_shebang(text)
    return _by_words(name, found, text)


def grammar_of(language: str | None) -> str | None:
    """Name the tree-sitter grammar that reads a language, or None."""
    entry = LANGUAGES.get(language or "")
    return entry.grammar if entry else None


def _by_shebang(text: str) -> str | None:
    match = _SHEBANG.match(text)
    return _BY_SHEBANG.get(match.group(1).lower()) if match else None


def _by_words(name: str, found: str, text: str) -> str:
    # Only extensions that really are shared are looked into, and only at the head of the file.
    if name.endswith(".h"):
        head = text[:20_000]
        if _OBJECTIVE_C.search(head):
            return "objc"
        return "cpp" if _CPP.search(head) else found
    if name.endswith(".m") and not _OBJECTIVE_C.search(text[:20_000]) and _MATLAB.search(text[:20_000]):
        return "matlab"
    if name.endswith(".v") and _V.search(text[:20_000]) and "endmodule" not in text:
        return "v"
    return found


# `/usr/bin/env -S python3 -u`, `/bin/bash`, `/usr/bin/python3.11`; the version is no part of the word.
_SHEBANG = re.compile(
    r"\ufeff?#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*(?:\S*/)?)?([A-Za-z_+]+(?:-[a-z]+)*)[\d.]*"
)
_OBJECTIVE_C = re.compile(r"^\s*(?:@(?:interface|protocol|implementation|class|import)\b|#import\b)", re.MULTILINE)
_CPP = re.compile(
    r"^\s*(?:namespace\s|template\s*<|class\s+\w[^;]*[{:]|using\s|(?:public|private|protected)\s*:)", re.MULTILINE
)
_V = re.compile(r"^(?:pub\s+)?(?:fn|struct|enum|interface)\s+[\w(]|^module \w+\s*$", re.MULTILINE)
_MATLAB = re.compile(r"^\s*(?:function\b|classdef\b|%)", re.MULTILINE)
_NAMES_WITH_SUFFIX = ("dockerfile", "containerfile", "makefile", "gnumakefile", "jenkinsfile")


def _language(
    extensions: str = "", names: str = "", shebangs: str = "", grammar: str | None = None
) -> Language:  # The table below reads best as words.
    return Language(tuple(extensions.split()), tuple(names.split()), tuple(shebangs.split()), grammar)


# fmt: off
LANGUAGES: dict[str, Language] = {
    "ada": _language("adb ads", grammar="ada"),
    "asciidoc": _language("adoc asciidoc"),
    "asm": _language("asm s", grammar="asm"),
    "astro": _language("astro", grammar="astro"),
    "awk": _language("awk", shebangs="awk gawk mawk"),
    "bash": _language("sh bash zsh ksh bats command ebuild",
                      ".bashrc .bash_profile .bash_aliases .profile .zshrc .zshenv .zprofile pkgbuild",
                      "sh bash zsh ksh dash ash bats", "bash"),
    "batch": _language("bat cmd"),
    "bicep": _language("bicep", grammar="bicep"),
    "c": _language("c h", grammar="c"),
    "capnp": _language("capnp", grammar="capnp"),
    "clojure": _language("clj cljs cljc edn", shebangs="bb", grammar="clojure"),
    "cmake": _language("cmake", "cmakelists.txt", grammar="cmake"),
    # The grammar of this language can hang for ever, so that it is cut as text.
    "cobol": _language("cob cbl cpy"),
    "commonlisp": _language("lisp lsp cl asd", shebangs="sbcl", grammar="commonlisp"),
    "cpp": _language("cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp ino cppm ixx", grammar="cpp"),
    "csharp": _language("cs csx", grammar="csharp"),
    "css": _language("css", grammar="css"),
    "csv": _language("csv tsv"),
    "cuda": _language("cu cuh", grammar="cuda"),
    "d": _language("d di", grammar="d"),
    "dart": _language("dart", grammar="dart"),
    "diff": _language("diff patch"),
    "dockerfile": _language("dockerfile containerfile", "dockerfile containerfile", grammar="dockerfile"),
    "elisp": _language("el", ".emacs", grammar="elisp"),
    "elixir": _language("ex exs", shebangs="elixir", grammar="elixir"),
    "elm": _language("elm", grammar="elm"),
    "erlang": _language("erl hrl escript", "rebar.config", "escript", "erlang"),
    "fennel": _language("fnl", shebangs="fennel", grammar="fennel"),
    "fish": _language("fish", shebangs="fish", grammar="fish"),
    "fortran": _language("f f77 f90 f95 f03 f08 for", grammar="fortran"),
    "fsharp": _language("fs fsx", grammar="fsharp"),
    "gdscript": _language("gd", grammar="gdscript"),
    "gleam": _language("gleam", grammar="gleam"),
    "glsl": _language("glsl vert frag geom comp", grammar="glsl"),
    "go": _language("go", grammar="go"),
    "gomod": _language("", "go.mod", grammar="gomod"),
    "graphql": _language("graphql gql graphqls", grammar="graphql"),
    "groovy": _language("groovy gradle gvy", "jenkinsfile", "groovy", "groovy"),
    "haskell": _language("hs lhs", shebangs="runhaskell runghc", grammar="haskell"),
    "haxe": _language("hx", grammar="haxe"),
    "hcl": _language("hcl nomad", grammar="hcl"),
    "hlsl": _language("hlsl fx", grammar="hlsl"),
    "html": _language("html htm xhtml", grammar="html"),
    "ini": _language("ini cfg conf editorconfig", ".editorconfig .gitconfig .npmrc", grammar="ini"),
    "java": _language("java", grammar="java"),
    "javascript": _language("js jsx mjs cjs es6", "jakefile", "node nodejs bun deno", "javascript"),
    "json": _language("json jsonc json5 geojson webmanifest",
                      ".babelrc .eslintrc .prettierrc composer.lock", grammar="json"),
    # The grammar of this language does not read the same text in the same way each time: cut as text.
    "jsonnet": _language("jsonnet libsonnet"),
    "julia": _language("jl", shebangs="julia", grammar="julia"),
    "jupyter": _language("ipynb"),
    "kotlin": _language("kt kts", shebangs="kotlin", grammar="kotlin"),
    "latex": _language("tex sty cls", grammar="latex"),
    "less": _language("less"),
    "lua": _language("lua rockspec", shebangs="lua luajit", grammar="lua"),
    "luau": _language("luau", grammar="luau"),
    "make": _language("mk mak", "makefile gnumakefile", "make", "make"),
    "markdown": _language("md markdown mdx mdown mkd"),
    "matlab": _language("", grammar="matlab"),
    "meson": _language("", "meson.build meson_options.txt", grammar="meson"),
    "nim": _language("nim nims nimble", grammar="nim"),
    "nix": _language("nix", grammar="nix"),
    "objc": _language("m mm", grammar="objc"),
    "ocaml": _language("ml", shebangs="ocaml", grammar="ocaml"),
    "ocaml_interface": _language("mli", grammar="ocaml_interface"),
    "odin": _language("odin", grammar="odin"),
    "org": _language("org"),
    "pascal": _language("pas pp dpr lpr", grammar="pascal"),
    "perl": _language("pl pm t", shebangs="perl", grammar="perl"),
    "php": _language("php php3 php4 php5 phtml inc", shebangs="php", grammar="php"),
    "blade": _language("blade.php"),
    "powershell": _language("ps1 psm1 psd1", shebangs="pwsh", grammar="powershell"),
    "prisma": _language("prisma", grammar="prisma"),
    "properties": _language("properties", grammar="properties"),
    "proto": _language("proto", grammar="proto"),
    "puppet": _language("", grammar="puppet"),
    "purescript": _language("purs", grammar="purescript"),
    "python": _language("py pyi pyw pyx pxd", "sconstruct sconscript wscript", "python pypy pythonw uv", "python"),
    "r": _language("r", ".rprofile", "rscript", "r"),
    "racket": _language("rkt", shebangs="racket", grammar="racket"),
    "rst": _language("rst"),
    "ruby": _language("rb rake gemspec ru podspec", "gemfile rakefile vagrantfile podfile brewfile guardfile", "ruby",
                      "ruby"),
    "rust": _language("rs", shebangs="rust-script", grammar="rust"),
    "scala": _language("scala sc sbt", shebangs="scala", grammar="scala"),
    "scheme": _language("scm ss sld", shebangs="guile", grammar="scheme"),
    "scss": _language("scss", grammar="scss"),
    "sass": _language("sass"),
    "solidity": _language("sol", grammar="solidity"),
    "sql": _language("sql ddl dml", grammar="sql"),
    "starlark": _language("bzl bazel star", "build workspace tiltfile", grammar="starlark"),
    "svelte": _language("svelte", grammar="svelte"),
    "swift": _language("swift", shebangs="swift", grammar="swift"),
    "systemverilog": _language("sv svh", grammar="verilog"),
    "tcl": _language("tcl", shebangs="tclsh wish", grammar="tcl"),
    "terraform": _language("tf tfvars", grammar="terraform"),
    "text": _language("txt text log"),
    "thrift": _language("thrift", grammar="thrift"),
    "toml": _language("toml", "pipfile cargo.lock poetry.lock uv.lock", grammar="toml"),
    "tsx": _language("tsx", grammar="tsx"),
    "twig": _language("twig", grammar="twig"),
    "typescript": _language("ts mts cts", shebangs="ts-node tsx", grammar="typescript"),
    "v": _language("vsh", grammar="v"),
    "vb": _language("vb vbs bas"),
    "verilog": _language("v vh", grammar="verilog"),
    "vhdl": _language("vhd vhdl", grammar="vhdl"),
    "vim": _language("vim", ".vimrc", grammar="vim"),
    "vue": _language("vue", grammar="vue"),
    "wgsl": _language("wgsl", grammar="wgsl"),
    "xml": _language("xml xsd xsl xslt svg plist csproj fsproj vbproj props targets resx wsdl", grammar="xml"),
    "yaml": _language("yaml yml", ".clang-format .clang-tidy", grammar="yaml"),
    "zig": _language("zig zon", grammar="zig"),
}
"""Every language by its name; the names are those of `connote status` and of the filters of a search."""
# fmt: on

_BY_EXTENSION = {word: name for name, entry in LANGUAGES.items() for word in entry.extensions}
_BY_NAME = {word: name for name, entry in LANGUAGES.items() for word in entry.names}
_BY_SHEBANG = {word: name for name, entry in LANGUAGES.items() for word in entry.shebangs}
