import { describe, expect, it } from 'vitest';
import { compareAnswers } from './equivalence.js';

/** [gold, answer]; whether they say the same is mathematics, not our output. */
type Pair = [gold: string, answer: string];

function areEqual(name: string, pairs: Pair[]): void {
  it.each(pairs)(`${name}: %s = %s`, (gold, answer) => {
    expect(compareAnswers(gold, answer)).toMatchObject({ outcome: 'equal' });
    expect(compareAnswers(answer, gold)).toMatchObject({ outcome: 'equal' });
  });
}

function areDifferent(name: string, pairs: Pair[]): void {
  it.each(pairs)(`${name}: %s is not %s`, (gold, answer) => {
    expect(compareAnswers(gold, answer)).toMatchObject({ outcome: 'different' });
    expect(compareAnswers(answer, gold)).toMatchObject({ outcome: 'different' });
  });
}

describe('numbers', () => {
  areEqual('notation', [
    ['\\frac{1}{2}', '\\dfrac12'],
    ['\\frac{1}{2}', '1/2'],
    ['\\frac{1}{2}', '0.5'],
    ['\\frac{1}{2}', '.5'],
    ['\\frac{1}{72}', '\\frac1{72}'],
    ['-\\frac{3}{4}', '\\frac{-3}{4}'],
    ['27.0', '27'],
    ['025', '25'],
    ['10{,}000', '10,000'],
    ['12345678', '12,345,678'],
    ['32349', '32,\\!349'],
    ['1234.5', '1\\,234.5'],
    ['1000', '1 000'],
    ['1000.99', '1000,99'],
    ['3.54\\times 10^{-7}', '3.54e-07'],
    ['\\frac{5}{4}', '1 1/4'],
    ['\\frac{5}{4}', '1\\frac{1}{4}'],
    ['2^{10}', '1024'],
    ['7!', '5040'],
    ['\\binom{5}{2}', '10'],
    ['{5 \\choose 2}', '10'],
    ['\\frac{1}{3}', '0.\\overline{3}'],
    ['\\frac{1}{6}', '0.1\\overline{6}'],
    ['\\log_2 8', '3'],
    ['\\sqrt{16}', '4'],
    ['\\sqrt[3]{-8}', '-2'],
    ['\\lfloor 3.7 \\rfloor', '3'],
    ['five', '5'],
    ['\\$29.00', '29'],
    ['29', '$29'],
    ['50\\%', '0.5'],
    ['50\\%', '50'],
    ['120^\\circ', '120'],
    ['\\frac{\\pi}{3}', '60^\\circ'],
    ['204_5', '204_{5}'],
    ['-221_3', '-221'],
    ['100100', '100100_b'],
    ['½', '0.5'],
    ['−3', '-3'],
    ['x²', 'x^2'],
    ['2√10', '2\\sqrt{10}'],
    ['sqrt26', '\\sqrt{26}'],
  ]);
  // huggingface/Math-Verify#14: tiny values under a tolerance.
  areDifferent('exactly', [
    ['\\frac{1}{2^{99}}', '\\frac{1}{2^{98}}'],
    ['\\frac{1}{2004!}', '\\frac{1}{2006!}'],
    ['\\frac{\\sqrt{2}}{2^{99}}', '\\frac{\\sqrt{2}}{2^{98}}'],
    ['x + \\frac{1}{2^{99}}', 'x + \\frac{1}{2^{98}}'],
    ['10000000000000000000001', '10000000000000000000002'],
    ['6290000', '6287000'],
    ['10{,}000', '9999.857142857143'],
    ['3', '-3'],
    ['60', '\\frac{\\sqrt{6}}{\\sqrt{2}}'],
    ['\\sqrt{2}', '\\sqrt{2.0000001}'],
    // Math-Verify#34 and #81: half a mixed number is another number.
    ['2', '2\\frac{2}{3}'],
    ['1', '1 1/4'],
    ['2', '\\frac{2}{3}'],
    // The root of 2 times 6.
    ['\\sqrt{26}', '\\sqrt26'],
    ['204_5', '54'],
    ['204_5', '204_6'],
    ['12:00', '1:00'],
    ['13', '2^{1980} \\cdot 3^{384}'],
    ['5', '10^{10^{10}}'],
    ['33', '35\\%'],
  ]);
  // A decimal is the value rounded or cut at its last place, within 1e-4 of it.
  areEqual('decimals', [
    ['\\frac{2}{3}', '0.6667'],
    ['\\frac{2}{3}', '0.66666'],
    ['\\frac{8}{3}', '2.6667'],
    ['\\sqrt{2}', '1.4142135623730951'],
    ['\\sqrt{2}', '1.4142'],
    ['\\frac{1}{12}', '0.0833333333333333'],
    ['0.3', '0.30000000000000004'],
    ['42', '41.99999999999999'],
    ['2.50', '2.5'],
    ['16386.17', '16386.2'],
    ['33.3\\%', '0.333'],
  ]);
  areDifferent('decimals', [
    ['\\frac{1}{3}', '0.3'],
    ['\\pi', '3.14'],
    ['5', '5.001'],
    ['16386.17', '16386.16'],
    ['16386.17', '16386'],
    ['\\frac{2}{3}', '0.6668'],
    ['0.001', '0.0010002'],
  ]);
});

describe('units and words', () => {
  areEqual('units', [
    ['864 \\mbox{ inches}^2', '864'],
    ['40', '40 \\text{ feet}'],
    ['125', '125 miles'],
    ['156', '156kgs'],
    ['6', '6th'],
    ['1/3', '\\frac{1}{3} \\textbf{meters}'],
    ['15\\mbox{ cm}^2', '15'],
    ['3', '3 \\text{ m/s}'],
    ['0.06 \\text{ yuan}', '0.06'],
    ['\\text{Even}', 'even'],
    ['\\text{Evelyn}', 'Evelyn.'],
    ['(D)', 'D'],
    ['\\textbf{(A)}', 'A'],
    ['\\text{(C)}', '(C) Cecile'],
    ['C. Cecile', 'C'],
    ['\\text{e}', 'e'],
    ['\\text{4:30 p.m.}', '4:30 \\text{ p.m.}'],
    ['\\text{No solution}', 'no solution'],
  ]);
  areDifferent('units', [
    ['100', '10\\text{ units}'],
    ['odd', '\\text{oddd}'],
    ['A', 'C'],
    ['(A) Cecile', 'C'],
    ['E', '\\mathrm{E}*2'],
    ['Even', 'Odd'],
  ]);
});

describe('sets, tuples, intervals', () => {
  areEqual('collections', [
    ['2, 3', '3, 2'],
    ['2, 3', '2 \\text{ and } 3'],
    ['2, 3', '2 or 3'],
    ['\\{1, 2\\}', '\\{2, 1\\}'],
    ['\\{1, 2, 2\\}', '\\{2, 1\\}'],
    ['\\{1, 2\\}', '1, 2'],
    ['1 \\pm \\sqrt{19}', '1 - \\sqrt{19}, 1 + \\sqrt{19}'],
    ['\\{1 \\pm \\sqrt{5}, -2\\}', '-2, 1+\\sqrt5, 1-\\sqrt5'],
    ['(3, \\frac{\\pi}{2})', '\\left( 3, \\frac{\\pi}{2} \\right)'],
    ['(1, 4.5)', '(1,\\frac{9}{2})'],
    ['(1, 2), (3, 4)', '(3, 4), (1, 2)'],
    ['(0;0;0),(0;-2;0)', '(0,-2,0),(0,0,0)'],
    ['(1, +\\infty)', '(1, \\infty)'],
    ['(0, 1)', ']0, 1['],
    ['(-\\infty,1)\\cup(1,\\infty)', '(-\\infty, 1) \\cup (1, \\infty)'],
    ['(1, \\infty) \\cup (-\\infty, 1)', '(-\\infty, 1) \\cup (1, \\infty)'],
    ['[0, 2]', '[0, 1] \\cup [1, 2]'],
    ['\\mathbb{R}', '(-\\infty, \\infty)'],
    ['\\mathbb{R} \\setminus \\{5\\}', '(-\\infty,5)\\cup(5,\\infty)'],
    ['x \\ne 5', '(-\\infty,5)\\cup(5,\\infty)'],
    ['\\emptyset', '\\varnothing'],
    ['\\begin{pmatrix}3/5\\\\57/5\\end{pmatrix}', '\\begin{pmatrix} \\frac{3}{5} \\\\ \\frac{57}{5} \\end{pmatrix}'],
    ['\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', '\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}'],
    ['\\begin{pmatrix}1\\\\2\\end{pmatrix}', '(1, 2)'],
    ['\\begin{pmatrix}6\\\\8\\end{pmatrix}', '2\\begin{pmatrix}3\\\\4\\end{pmatrix}'],
    ['\\langle 1, 2 \\rangle', '(1,2)'],
    ['11:21', '11 : 21'],
    ['1,234', '1234'],
    ['100,200', '100, 200'],
  ]);
  areDifferent('collections', [
    ['(1, 2)', '(2, 1)'],
    ['(0, 1)', '[0, 1)'],
    ['[0, 3)', '[0, 1]'],
    ['[\\frac12, \\frac43]', '[\\frac43, \\frac12]'],
    ['\\sqrt{67}, -\\sqrt{85}', '\\sqrt{67}'],
    ['1, 2', '1, 2, 3'],
    ['(1, 2)', '(1, 2, 3)'],
    ['19, 46, 82', '21, 36, 82'],
    ['3 \\pm 2\\sqrt{2}', '3+2\\sqrt{2}, 3-2\\sqrt{2}, -3+2\\sqrt{2}'],
    ['\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', '\\begin{pmatrix}1&2\\\\3&5\\end{pmatrix}'],
    ['\\begin{pmatrix}1&2\\end{pmatrix}', '\\begin{pmatrix}1\\\\2\\end{pmatrix}'],
    ['\\emptyset', '0'],
    ['\\{0\\}', '\\emptyset'],
    ['(-\\infty, 1) \\cup (1, \\infty)', '\\mathbb{R}'],
    // huggingface/Math-Verify#14: written as an assignment, every component still counts.
    ['D = (0, 1)', 'D = (0, 1.5)'],
    ['14', '\\begin{pmatrix} 2 \\\\ 1 \\\\ 3 \\end{pmatrix}'],
  ]);
});

describe('relations', () => {
  areEqual('relations', [
    ['x = 5', '5'],
    ['x=2, x=-3', '-3, 2'],
    ['x = -5, p = \\frac{14}{3}', '-5, \\frac{14}{3}'],
    ['(p, q) = (3, 2)', '(3, 2)'],
    ['p=5,q=2;p=7,q=2', '(5,2),(7,2)'],
    ['p = 5, q = 2, p = 7, q = 2', '(7,2),(5,2)'],
    ['x_1 = 1, x_2 = 2', '2, 1'],
    ['a = 1, b = 2', 'b = 2, a = 1'],
    ['V_1 : V_2 = 11 : 21', '11:21'],
    ['x = 11', 'x = 5+5+1 = 11'],
    ['\\frac{1}{2 \\sin(\\frac{\\pi}{26})}', '\\frac{1}{2\\sin(\\pi/26)} \\approx 4.148'],
    ['y = x^2 + 2x + 1', '2x + 1 + x^2'],
    ['f(x) = x + 1', 'f(t) = t + 1'],
    ['x^2/4 + y^2/3 = 1', 'x^2/16 + y^2/12 = 1/4'],
    ['x + y = 2', '2 = y + x'],
    ['x < 1', '-x > -1'],
    ['x < 3', '(-\\infty, 3)'],
    // Ends that are exact without having a numeric evaluation of their own.
    ['\\gcd(4,6) \\le x \\le \\gcd(10,15)', '[2, 5]'],
    ['2x + 1 < 5', 'x < 2'],
    ['-2 \\le x \\le 7', 'x \\in [-2,7]'],
    ['0 < f(x) < 1', '(0,1)'],
    ['1 \\le |z| \\le \\frac32', 'z \\in [-\\frac32, -1] \\cup [1, \\frac32]'],
    ['x \\ge 5', 'x >= 5'],
    ['x \\ne 3', 'x != 3'],
    ['x < 1 \\text{ or } x > 3', '(-\\infty, 1) \\cup (3, \\infty)'],
    ['\\{x \\mid x > 2\\}', '(2, \\infty)'],
  ]);
  areDifferent('relations', [
    ['a + 3z = 0', '0'],
    ['2x + z = 1', '1'],
    ['81', '(x+y)^2 = 81'],
    ['x > 5', 'x < 5'],
    ['x > 5', 'x \\ge 5'],
    ['x + y - z + 2 = 0', '5x - 7y + 11z + 4 = 0'],
    ['x = 5', 'y = 5'],
    ['x < -1', 'x > 3'],
    ['AB = 4, CD = 5', '5, 4'],
    ['y = 2x', 'y = 3x'],
  ]);
});

describe('expressions', () => {
  areEqual('algebra', [
    ['\\frac{n^2 - n}{2}', '\\frac{n(n-1)}2'],
    ['(r+5)(r+5)', '(r+5)^2'],
    ['x^2+2x+1', 'x^2 + 2*x + 1'],
    ['x**2', 'x^2'],
    // huggingface/Math-Verify#64
    ['\\sqrt{\\frac{1}{n}}', '\\frac{1}{\\sqrt{n}}'],
    ['\\tan^2(y)+1', '\\sec^2(y)'],
    ['\\sin 2x', '2 \\sin x \\cos x'],
    ['\\frac{1}{3\\sqrt[3]{x}^2}', '\\frac{1}{3x^{2/3}}'],
    ['\\frac{3+2\\sqrt{3}}{3}', '1 + \\frac{2\\sqrt{3}}{3}'],
    ['-\\frac{\\pi e}{2}', '-\\frac{\\pi\\,e}{2}'],
    ['72+72\\sqrt{2}', '72(1 + \\sqrt{2})'],
    ['\\frac{3}{4}i', '\\frac34 i'],
    ['e^{i\\pi}', '-1'],
    ['\\ln 8', '3 \\ln 2'],
    ['\\frac{1}{46}\\binom{2024}{990}+\\frac{1}{2}', '\\frac{\\binom{2024}{990}+23}{46}'],
    ['F_n = \\sum_{k=0}^{n-1} F_k F_{n-k-1}', 'F_n = \\sum_{k=0}^{n-1} F_{n-k-1} F_k'],
    ['\\sum_{k=1}^{n} k', '\\frac{n(n+1)}{2}'],
    ['\\sum_{i=1}^{n} i', '\\frac{n(n+1)}{2}'],
    ['2^{n+1}', '2 \\cdot 2^n'],
    ['|x|', '\\sqrt{x^2}'],
    ['\\frac{\\pi r}{h+r}', '\\frac{r\\pi}{r+h}'],
    ['\\cos\\frac{\\pi}{3}', '\\frac12'],
    ['\\sin 30^\\circ', '\\frac12'],
    ['\\sin^{-1} x', '\\arcsin x'],
    ['x^{10}', 'x^10'],
  ]);
  areDifferent('algebra', [
    ['x^2+2x+1', 'x^3+2x+1'],
    ['\\sin^2 t', '\\tan^2 t'],
    ['(a+5)(b+2)', '(+5)(b+2)'],
    ['|x|', 'x'],
    ['\\frac{3+2\\sqrt{3}}{3}', '\\frac{2\\sqrt{3}+4}{3}'],
    ['72+72\\sqrt{2}', '144(1 + \\sqrt{2})'],
    ['2^{25} \\cdot 26!', '4 \\times 26!'],
    ['F_n = \\sum_{k=0}^{n-1} F_k F_{n-k-1}', 'F_n = \\sum_{k=0}^{n-2} F_k F_{n-k-2}'],
    ['a^2+b^2+c^2-4R^2', 'a^2 + b^2 + c^2'],
    ['220', '4 - 20i'],
    ['2', '\\frac{1+\\sqrt{5}}{2}'],
    ['x', 'y'],
    ['1 - \\frac{1}{e}', '1 + \\frac{1}{e}'],
  ]);
});
