/** LaTeX commands and words of functions with one argument, and the name by which they are evaluated. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  sin: 'sin',
  cos: 'cos',
  tan: 'tan',
  tg: 'tan',
  cot: 'cot',
  ctg: 'cot',
  sec: 'sec',
  csc: 'csc',
  cosec: 'csc',
  sinh: 'sinh',
  cosh: 'cosh',
  tanh: 'tanh',
  arcsin: 'arcsin',
  asin: 'arcsin',
  arccos: 'arccos',
  acos: 'arccos',
  arctan: 'arctan',
  arctg: 'arctan',
  atan: 'arctan',
  ln: 'ln',
  log: 'log',
  lg: 'lg',
  exp: 'exp',
  sqrt: 'sqrt',
  cbrt: 'cbrt',
  abs: 'abs',
  floor: 'floor',
  ceil: 'ceil',
  max: 'max',
  min: 'min',
  gcd: 'gcd',
  lcm: 'lcm',
  Re: 'Re',
  Im: 'Im',
  arg: 'arg',
  sgn: 'sgn',
};

/** Functions of several arguments; all others take one. */
export const SEVERAL_ARGUMENTS = new Set(['max', 'min', 'gcd', 'lcm']);

/** Functions whose power is written before the argument: `\sin^2 x`. */
export const POWER_BEFORE_ARGUMENT = new Set([
  'sin',
  'cos',
  'tan',
  'cot',
  'sec',
  'csc',
  'sinh',
  'cosh',
  'tanh',
  'ln',
  'log',
  'lg',
]);

/** Commands that are a letter. */
export const LETTERS = new Set(
  (
    'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho varrho sigma tau upsilon ' +
    'phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Upsilon Phi Psi Omega ell hbar partial nabla imath jmath prime odot oplus star ast dagger perp parallel ldots'
  ).split(' '),
);

/** Accents and arrows over a letter: part of its name. */
export const ACCENTS = new Set([
  'overline',
  'bar',
  'vec',
  'hat',
  'tilde',
  'overrightarrow',
  'widehat',
  'widetilde',
  'dot',
  'ddot',
  'mathbb',
  'mathcal',
  'mathfrak',
  'mathscr',
]);
