// Is preloaded into every thread, that of the solver too: says on stderr what is left to the garbage collector to end.
const { writeSync } = require("node:fs");
const { threadId } = require("node:worker_threads");
const { register } = FinalizationRegistry.prototype;
FinalizationRegistry.prototype.register = function (target, ...rest) {
  writeSync(2, `left to the collector: ${target?.constructor?.name}\n`);
  return Reflect.apply(register, this, [target, ...rest]);
};
writeSync(2, `watched: thread ${threadId}\n`);
