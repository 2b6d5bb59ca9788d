import tseslint from 'typescript-eslint';

export default tseslint.config(...tseslint.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    // Numbers are fine in a template; everything else is said.
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    // A listener may start something that nobody waits for: `void` says so.
    '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidOperator: true }],
    // node:test's own promises are nobody's to await.
    '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'node:test' }] }],
    'max-lines': ['error', 400],
  },
});
