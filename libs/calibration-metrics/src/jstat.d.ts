/** The parts of jstat that are used; the package has no types of its own. */
declare module 'jstat' {
  const jStat: {
    studentt: {
      /** The quantile of Student's t distribution. */
      inv(probability: number, degreesOfFreedom: number): number;
    };
  };
  export default jStat;
}
