/** The parts of jstat that are used; the package has no types of its own. */
declare module 'jstat' {
  const jStat: {
    normal: {
      cdf(x: number, mean: number, deviation: number): number;
      /** The quantile of the normal distribution. */
      inv(probability: number, mean: number, deviation: number): number;
    };
    studentt: {
      cdf(x: number, degreesOfFreedom: number): number;
      /** The quantile of Student's t distribution. */
      inv(probability: number, degreesOfFreedom: number): number;
    };
    /** The regularised incomplete beta function I_x(a, b). */
    ibeta(x: number, a: number, b: number): number;
  };
  export default jStat;
}
