// Asks a solver questions and prints what it says, as JSON: tests/smt/collected.test.ts runs it.
import { z3Solver } from "@tessera/proofs/smt";

const double = (value) => `((_ to_fp 11 53) RNE ${value}.0)`;
// 2a > k, a + b < k + 1 and 0 <= a <= 2; 0 <= b where k is odd, 5 <= b where it is even.
const question = (k) => `(declare-const a (_ FloatingPoint 11 53))(declare-const b (_ FloatingPoint 11 53))
(assert (fp.gt (fp.mul RNE a ${double(2)}) ${double(k)}))
(assert (fp.lt (fp.add RNE a b) ${double(k + 1)}))
(assert (fp.geq a ${double(0)}))(assert (fp.geq b ${double(k % 2 === 0 ? 5 : 0)}))
(assert (fp.leq a ${double(2)}))`;

const z3 = await z3Solver();
const answers = [];
for (let k = 0; k < 7; k += 1) answers.push((await z3.check(question(k), 60_000)).kind);
answers.push(await z3.check("(assert unheard)", 60_000));
await z3.close();
process.stdout.write(JSON.stringify(answers));
