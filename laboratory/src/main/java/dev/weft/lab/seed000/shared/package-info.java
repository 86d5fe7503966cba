/**
 * Programs on shared memory in virtual time, on hosts whose processors are charged for what programs compute and what access costs (seed 000
 * section 5; docs/internals/shared-memory-fidelity.md).
 *
 * <p>Invariants: same setup, profile and seed, same result, in any JVM; a run whose result is not that of the sequential program is an error; nothing here
 * knows a result of the paper.
 */
package dev.weft.lab.seed000.shared;
