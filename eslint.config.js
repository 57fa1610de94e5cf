import js from '@eslint/js'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  // The benchmark's engines are installed by itself alone, and without them its types cannot be read.
  { ignores: ['dist/', 'target/', '**/node_modules/', 'test/artifacts/', 'eval/bench/'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js'] }, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      // A rejection that nobody awaits ends the host, and `void f()` catches nothing.
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['plugin/**'],
    rules: {
      '@typescript-eslint/explicit-function-return-type': ['error', { allowExpressions: true }],
      // A package linked from a folder does not find the host's packages at run time; their types it may name.
      '@typescript-eslint/no-restricted-imports': ['error', {
        patterns: [{ group: ['@deepseek-ai/*'], allowTypeImports: true, message: 'the host is known by its types only' }],
      }],
      // Standard output belongs to the answer of a headless run, and standard error to the host.
      'no-console': 'error',
    },
  },
  {
    // node:test registers what `test` and `describe` return; nobody has to await it.
    files: ['test/**', 'eval/**'],
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', {
        ignoreVoid: false,
        allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach'] }],
      }],
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: { globals: { AbortSignal: 'readonly', console: 'readonly', process: 'readonly', performance: 'readonly', URL: 'readonly', Buffer: 'readonly' } },
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off', '@typescript-eslint/no-unsafe-member-access': 'off', '@typescript-eslint/no-unsafe-return': 'off', '@typescript-eslint/no-unsafe-argument': 'off' },
  },
  // Declarations that go into the module: the generator reads them, and what it writes is checked with the shim.
  { ignores: ['crate/'] },
)
