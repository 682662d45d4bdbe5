import { checkProbabilities, checkScoresAndLabels, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';

/** A smooth calibration error and the width of the kernel that it was found at. */
export interface SmoothCalibrationError extends Estimate {
  bandwidth: number | null;
}

/** Points of the grid on [0, 1]; its step is well below the smallest bandwidth that is tried. */
const GRID = 2000;
const SMALLEST_BANDWIDTH = 0.002;

/**
 * The smooth calibration error smECE (Blasiok & Nakkiran 2023, arXiv 2309.12236): the residuals `correct - confidence`
 * are smoothed over the confidences by a Gaussian kernel reflected at 0 and 1, and the absolute value is integrated;
 * the bandwidth is the one that equals the error (the smallest sigma with smECE_sigma <= sigma). No bins to choose, and
 * continuous in the confidences. Residuals are put on a grid of 2,000 cells, so the value is good to about 1e-3.
 */
export function smoothCalibrationError(confidences: Numbers, labels: Numbers): SmoothCalibrationError {
  checkScoresAndLabels(confidences, labels);
  checkProbabilities(confidences);
  const n = confidences.length;
  if (n === 0) return { ...undefinedBecause('there are no answers'), bandwidth: null };
  const residuals = new Float64Array(GRID + 1);
  for (let i = 0; i < n; i++) {
    // Shared between the two nearest grid points, so that the error is continuous in the confidence.
    const position = confidences[i] * GRID;
    const below = Math.min(GRID - 1, Math.floor(position));
    const residual = (labels[i] - confidences[i]) / n;
    residuals[below] += residual * (below + 1 - position);
    residuals[below + 1] += residual * (position - below);
  }
  // smECE_sigma falls with sigma, so the fixed point is found by halving.
  let low = SMALLEST_BANDWIDTH;
  let high = 1;
  if (smoothedError(residuals, low) <= low) high = low;
  for (let step = 0; step < 30 && high - low > 1e-5; step++) {
    const middle = (low + high) / 2;
    if (smoothedError(residuals, middle) <= middle) high = middle;
    else low = middle;
  }
  return { ...defined(smoothedError(residuals, high)), bandwidth: high };
}

/** The integral over [0, 1] of the absolute smoothed residual. */
function smoothedError(residuals: Float64Array, bandwidth: number): number {
  const kernel = reflectedKernel(bandwidth);
  const smoothed = new Float64Array(GRID + 1);
  for (let source = 0; source <= GRID; source++) {
    if (residuals[source] === 0) continue;
    for (let target = 0; target <= GRID; target++) {
      smoothed[target] += residuals[source] * (kernel[Math.abs(target - source)] + kernel[target + source]);
    }
  }
  // Trapezoid rule.
  const ends = (Math.abs(smoothed[0]) + Math.abs(smoothed[GRID])) / 2;
  let sum = ends;
  for (let target = 1; target < GRID; target++) sum += Math.abs(smoothed[target]);
  return sum / GRID;
}

/**
 * The reflected kernel as a function of the distance d in grid steps: reflection at 0 and 1 turns the line into a circle
 * of length 2, on which the Gaussian is wrapped; `kernel[|t - s|] + kernel[t + s]` is the density at t for a source at s.
 */
function reflectedKernel(bandwidth: number): Float64Array {
  const kernel = new Float64Array(2 * GRID + 1);
  const scale = 1 / (bandwidth * Math.sqrt(2 * Math.PI));
  const turns = Math.ceil(3 * bandwidth) + 1;
  for (let distance = 0; distance <= 2 * GRID; distance++) {
    for (let turn = -turns; turn <= turns; turn++) {
      const z = (distance / GRID + 2 * turn) / bandwidth;
      kernel[distance] += scale * Math.exp(-0.5 * z * z);
    }
  }
  return kernel;
}
