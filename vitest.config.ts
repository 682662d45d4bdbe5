import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests read the libraries' sources, not their builds, so that a test never sees a stale build.
  resolve: { conditions: ['@capo/source'] },
  ssr: { resolve: { conditions: ['@capo/source', 'node', 'import', 'default'] } },
  test: {
    include: ['{libs,apps}/*/src/**/*.test.ts'],
    testTimeout: 60_000,
    maxWorkers: 2,
    reporters: ['default'],
    coverage: { include: ['{libs,apps}/*/src/**/*.ts'] },
  },
});
