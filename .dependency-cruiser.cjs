// The direction of flow between the rooms (see docs/architecture.md). A room may import only what its row allows.
const allowed = {
  samples: [],
  benchmarks: ['samples'],
  'calibration-metrics': [],
  tts: ['samples', 'calibration-metrics'],
  model: ['samples'],
  'rl-core': ['samples', 'benchmarks', 'calibration-metrics', 'model'],
  paper: ['samples', 'benchmarks', 'calibration-metrics', 'tts', 'model', 'rl-core'],
};

const roomRules = Object.entries(allowed).map(([room, rooms]) => ({
  name: `${room}-imports-only-its-row`,
  severity: 'error',
  from: { path: `^libs/${room}/` },
  to: { path: '^(libs|apps)/', pathNot: `^libs/(${[room, ...rooms].join('|')})/` },
}));

// Pure rooms hold formulas: they read no files, print nothing and know no tensors.
const pureRules = ['calibration-metrics', 'tts'].map((room) => ({
  name: `${room}-is-pure`,
  severity: 'error',
  from: { path: `^libs/${room}/src`, pathNot: '\\.test\\.ts$' },
  to: { path: '(^node:|^(fs|path|os|child_process|worker_threads|http|https)$|@tensorflow)' },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...roomRules,
    ...pureRules,
    {
      name: 'tensors-stay-in-model-and-rl-core',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^libs/(model|rl-core)/' },
      to: { path: '@tensorflow' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    enhancedResolveOptions: {
      conditionNames: ['@capo/source', 'import', 'require', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
