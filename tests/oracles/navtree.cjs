// Prints what TypeScript's own navigation tree holds of each file named on standard input: one JSON array a line.
// An item is [name, line from 1, syntax of the named node, what it is a child of,
// what that is a child of, syntax of its value, whether it is inside a function, kind].
// Usage: node navtree.cjs PATH_OF_TYPESCRIPT < paths
const fs = require('fs')
const ts = require(process.argv[2])

const paths = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)
for (const path of paths) {
  const text = fs.readFileSync(path, 'utf8')
  const host = {
    getCompilationSettings: () => ({ allowJs: true, noLib: true, noResolve: true }),
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => (name === path ? ts.ScriptSnapshot.fromString(text) : undefined),
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '',
    fileExists: (name) => name === path,
    readFile: (name) => (name === path ? text : undefined),
  }
  const service = ts.createLanguageService(host, undefined, ts.LanguageServiceMode.Syntactic)
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const items = []
  const visit = (item) => {
    if (item.nameSpan) {
      const node = ts.getTokenAtPosition(source, item.nameSpan.start)
      let named = node.parent ?? node
      if (ts.isComputedPropertyName(named)) named = named.parent
      const around = named.parent ?? named
      const value = named.initializer ?? named.right
      let local = false
      for (let up = named.parent; up; up = up.parent) {
        if (ts.isFunctionLike(up)) local = true
      }
      items.push([
        item.text,
        source.getLineAndCharacterOfPosition(item.nameSpan.start).line + 1,
        ts.SyntaxKind[named.kind],
        ts.SyntaxKind[around.kind],
        around.parent ? ts.SyntaxKind[around.parent.kind] : '',
        value ? ts.SyntaxKind[value.kind] : '',
        local,
        item.kind,
      ])
    }
    for (const child of item.childItems ?? []) visit(child)
  }
  visit(service.getNavigationTree(path))
  process.stdout.write(JSON.stringify(items) + '\n')
}
